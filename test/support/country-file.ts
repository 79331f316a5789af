// A file of countries in the form of MaxMind's (https://maxmind.github.io/MaxMind-DB/), small enough to be written by hand.

type Value = string | number | Value[] | {readonly [key: string]: Value};

const sized = (type: number, size: number): Buffer => Buffer.from(type <= 7 ? [(type << 5) | size] : [size, type - 7]);

/** Texts, lists and maps of fewer than 29 bytes or members. */
function encoded(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([sized(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([sized(6, 4), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([sized(11, value.length), ...value.map(encoded)]);
  const members = Object.entries(value);
  return Buffer.concat([sized(7, members.length), ...members.flatMap(([key, of]) => [encoded(key), encoded(of)])]);
}

/** `countryOf`: by the first number of an IPv4 address. */
export function countryFile(countryOf: Readonly<Record<number, string>>): Buffer {
  const data: Buffer[] = [];
  const offsetOf = new Map<string, number>();
  let bytes = 0;
  for (const iso of new Set(Object.values(countryOf))) {
    const record = encoded({country: {iso_code: iso}});
    offsetOf.set(iso, bytes);
    data.push(record);
    bytes += record.length;
  }
  // A whole tree over the first eight bits.
  const nodeCount = 255;
  const tree = Buffer.alloc(nodeCount * 6);
  for (let node = 0; node < nodeCount; node++) {
    for (const bit of [0, 1]) {
      const child = 2 * node + 1 + bit;
      const iso = child < nodeCount ? undefined : countryOf[child - nodeCount];
      const record = child < nodeCount ? child : iso === undefined ? nodeCount : nodeCount + 16 + offsetOf.get(iso)!;
      tree.writeUIntBE(record, node * 6 + bit * 3, 3);
    }
  }
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: 'Test-Country',
    description: {en: 'test'},
    ip_version: 4,
    languages: ['en'],
    node_count: nodeCount,
    record_size: 24,
  };
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, encoded(metadata)]);
}
