// All keys of the deployment in memory, by hash.
//   R1. A known header costs one lookup: its key is cached, and every revocation clears the cache. Only valid headers of an
//       ordinary length are cached: neither guesses nor a public key after ever more spaces fill the memory.
//   R2. A key's use of its rate limits is stored with the key alone: unknown keys have no entry, and a revoked key takes its
//       entry along.
//   R3. A person's token is here like a key, so that it is revoked like one; it opens no API route.
import {
  type ApiKeyRecord,
  hashKey,
  isOfApiKey,
  type KeyOptions,
  type KeyRecord,
  type PersonAccess,
  type RecordKind,
} from './key.js';

const rememberedHeadersMax = 10_000;
const rememberedHeaderCharsMax = 256;

/**
 * A key's use of each rate limit: the time, monotonic ms, by which all of it would have arrived at exactly the permitted rate
 * (edge/http/rate-limit.ts).
 */
export interface RateUsage {
  events: number;
  reads: number;
  deletions: number;
}

const unused = (): RateUsage => ({events: 0, reads: 0, deletions: 0});

/** A key that is valid now. */
export interface ActiveKey {
  readonly id: string;
  readonly kind: RecordKind;
  /** Set by authentication; written to the bucket now and then. */
  lastUsedMs: number;
  /** Use of its rate limits. R2 */
  readonly usage: RateUsage;
  /** Units of them that this edge admitted, as far as others are not told (edge/admission/fellow-edges.ts). R2 */
  readonly used: RateUsage;
  /** Options of its newest record. */
  options: KeyOptions | undefined;
  /** Set for a person's token. */
  readonly access: PersonAccess | undefined;
}

/** The name of an Authorization header `Basic base64(<name>:<password>)`; undefined: it is none. */
export function basicName(header: string): string | undefined {
  const encoded = /^basic +([\w+/=-]+)$/i.exec(header)?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8').split(':', 1)[0];
}

export class KeyRing {
  /** Incremented with every record that is added, changed or removed: pages then ask again. */
  changes = 0;
  private readonly records = new Map<string, KeyRecord>();
  private readonly activeByHash = new Map<string, ActiveKey>();
  private readonly activeByHeader = new Map<string, ActiveKey>();
  private readonly activeByBasic = new Map<string, ActiveKey>();

  /** Replaces all records; other keys are no longer valid. */
  replaceAll(records: readonly KeyRecord[]): void {
    const ids = new Set(records.map(({id}) => id));
    for (const id of [...this.records.keys()]) if (!ids.has(id)) this.forget(id);
    for (const record of records) this.put(record);
  }

  forget(id: string): void {
    this.changes += 1;
    const record = this.records.get(id);
    if (record === undefined) return;
    this.records.delete(id);
    this.activeByHash.delete(record.hash);
    this.forgetHeaders(); // R1
  }

  /** Takes a new or changed record. */
  put(record: KeyRecord): void {
    this.changes += 1;
    const {hash} = this.records.get(record.id) ?? record;
    if (hash !== record.hash) this.forget(record.id); // A process that found no record made a new one.
    this.records.set(record.id, record);
    const active = this.activeByHash.get(record.hash);
    if (record.revokedMs !== null) {
      this.activeByHash.delete(record.hash);
      this.forgetHeaders(); // R1
    } else if (active === undefined) {
      const {id, kind, hash, lastUsedMs, options, access} = record;
      const [usage, used] = [unused(), unused()];
      this.activeByHash.set(hash, {id, kind, lastUsedMs: lastUsedMs ?? 0, usage, used, options, access});
    } else {
      active.lastUsedMs = Math.max(active.lastUsedMs, record.lastUsedMs ?? 0);
      active.options = record.options;
    }
  }

  get(id: string): KeyRecord | undefined {
    return this.records.get(id);
  }

  /** Keys that are valid now. */
  active(): Iterable<ActiveKey> {
    return this.activeByHash.values();
  }

  /** The key of an id, if it is valid now. */
  activeOf(id: string): ActiveKey | undefined {
    const record = this.records.get(id);
    return record && this.activeByHash.get(record.hash);
  }

  /** The record of a key, revoked or not. A linear search: only starts call it. */
  recordOf(key: string): KeyRecord | undefined {
    const hash = hashKey(key);
    return [...this.records.values()].find((record) => record.hash === hash);
  }

  /** The API keys, oldest first, each with its last use as far as this process knows it. */
  list(): ApiKeyRecord[] {
    return this.listed(isOfApiKey);
  }

  /** The access tokens of people, oldest first, each with its last use as far as this process knows it. */
  people(): KeyRecord[] {
    return this.listed((record): record is KeyRecord => !isOfApiKey(record));
  }

  private listed<Listed extends KeyRecord>(isListed: (record: KeyRecord) => record is Listed): Listed[] {
    return [...this.records.values()]
      .filter(isListed)
      .map((record) => ({...record, lastUsedMs: this.lastUsedMs(record)}))
      .sort((a, b) => a.createdMs - b.createdMs || (a.id < b.id ? -1 : 1));
  }

  /** Uses are stored now and then only: this process may know a later one. */
  lastUsedMs({hash, lastUsedMs}: KeyRecord): number | null {
    const here = this.activeByHash.get(hash)?.lastUsedMs ?? 0;
    return here > (lastUsedMs ?? 0) ? here : lastUsedMs;
  }

  /** Records whose key was used after its last use was stored. */
  used(): {readonly record: KeyRecord; readonly lastUsedMs: number}[] {
    return [...this.activeByHash.values()].flatMap(({id, lastUsedMs}) => {
      const record = this.records.get(id)!;
      return lastUsedMs > (record.lastUsedMs ?? 0) ? [{record, lastUsedMs}] : [];
    });
  }

  /** The key of an Authorization header: `Bearer <key>`, the scheme in any case. */
  byHeader(header: string): ActiveKey | undefined {
    const known = this.activeByHeader.get(header);
    if (known !== undefined) return known;
    const key = /^bearer +(\S+)$/i.exec(header)?.[1];
    return this.remember(this.activeByHeader, header, key === undefined ? undefined : this.byKey(key));
  }

  /** The key of an Authorization header `Basic base64(<key>:)`, as libraries of other services send it. */
  byBasic(header: string): ActiveKey | undefined {
    const known = this.activeByBasic.get(header);
    if (known !== undefined) return known;
    const key = basicName(header);
    return this.remember(this.activeByBasic, header, key === undefined ? undefined : this.byKey(key));
  }

  /** R1 */
  private remember(
    headers: Map<string, ActiveKey>,
    header: string,
    active: ActiveKey | undefined,
  ): ActiveKey | undefined {
    if (active !== undefined && header.length <= rememberedHeaderCharsMax) {
      if (headers.size >= rememberedHeadersMax) headers.clear();
      headers.set(header, active);
    }
    return active;
  }

  private forgetHeaders(): void {
    this.activeByHeader.clear();
    this.activeByBasic.clear();
  }

  /** An API key. */
  byKey(key: string): ActiveKey | undefined {
    const active = this.activeByHash.get(hashKey(key));
    return active?.kind === 'person' ? undefined : active; // R3
  }

  /** The access token of a person, by its text or its id, if it is valid at `nowMs`. */
  person(by: {readonly token: string} | {readonly id: string}, nowMs: number): ActiveKey | undefined {
    const hash = 'token' in by ? hashKey(by.token) : this.records.get(by.id)?.hash;
    const active = hash === undefined ? undefined : this.activeByHash.get(hash);
    return active?.access === undefined || (active.access.untilMs ?? Number.POSITIVE_INFINITY) <= nowMs
      ? undefined
      : active;
  }
}
