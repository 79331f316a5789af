// Damage of a closed store: one bit flipped, a file cut or removed, or a whole stream removed, in every kind of file.
import {readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Random} from '../../random.js';

export type Injury =
  | {readonly how: 'flip'; readonly path: string; readonly byte: number; readonly bit: number}
  | {readonly how: 'cut'; readonly path: string; readonly bytes: number}
  | {readonly how: 'remove'; readonly path: string};

const streams = 'nats/jetstream/$G/streams';
/** Rewritten by every start, or not of the store. */
const ofNoConcern = /^(?:nats\/(?:ports|server\.)|lock)/;

interface StoredFile {
  readonly path: string;
  readonly bytes: number;
}

/** Files by their kind: the stream, or the folder of DATA_DIR, and what the file is for. */
function filesByKind(dataDir: string): ReadonlyMap<string, readonly StoredFile[]> {
  const kinds = new Map<string, StoredFile[]>();
  for (const path of readdirSync(dataDir, {recursive: true, encoding: 'utf8'}).sort()) {
    const stat = statSync(join(dataDir, path));
    if (!stat.isFile() || stat.size === 0 || ofNoConcern.test(path)) continue;
    const kind = kindOf(path);
    kinds.set(kind, [...(kinds.get(kind) ?? []), {path, bytes: stat.size}]);
  }
  return kinds;
}

function kindOf(path: string): string {
  if (!path.startsWith(streams)) return path.replaceAll(/\d+/g, 'n');
  const [stream, ...rest] = path.slice(streams.length + 1).split('/');
  return `${stream!.replace(/\d+/, 'n')} ${rest[0] === 'obs' ? 'consumers' : rest.at(-1)!.replace(/\d+/, 'n')}`;
}

/** Kinds of files in an order of the seed, so that a short run meets others than the first by name. */
export function kindsInTurn(dataDir: string, seed: number): readonly (readonly StoredFile[])[] {
  const random = new Random(seed);
  const drawn = [...filesByKind(dataDir).values()].map((files) => ({files, at: random.next()}));
  return drawn.sort((a, b) => a.at - b.at).map(({files}) => files);
}

/** How a file of the kind is damaged is up to chance. */
export function planInjury(files: readonly StoredFile[], random: Random): Injury {
  const file = random.pick(files);
  switch (random.weighted({flip: 5, cut: 2, remove: 2, stream: 1})) {
    case 'flip':
      return {how: 'flip', path: file.path, byte: random.between(0, file.bytes - 1), bit: random.between(0, 7)};
    case 'cut':
      return {how: 'cut', path: file.path, bytes: random.between(0, file.bytes - 1)};
    case 'remove':
      return {how: 'remove', path: file.path};
    case 'stream':
      return {how: 'remove', path: streamOf(file.path) ?? file.path};
  }
}

const streamOf = (path: string): string | undefined =>
  path.startsWith(streams)
    ? path
        .split('/')
        .slice(0, streams.split('/').length + 1)
        .join('/')
    : undefined;

/** Path of the first block of a stream. */
export const firstBlock = (stream: string): string => `${streams}/${stream}/msgs/1.blk`;

export function injure(dataDir: string, injury: Injury): void {
  const path = join(dataDir, injury.path);
  if (injury.how === 'cut') truncateSync(path, injury.bytes);
  else if (injury.how === 'remove') rmSync(path, {recursive: true});
  else {
    const bytes = readFileSync(path);
    bytes[injury.byte]! ^= 1 << injury.bit;
    writeFileSync(path, bytes);
  }
}

export const wordsOf = (injury: Injury): string =>
  injury.how === 'flip'
    ? `flip bit ${injury.bit} of byte ${injury.byte} of ${injury.path}`
    : injury.how === 'cut'
      ? `cut ${injury.path} to ${injury.bytes} bytes`
      : `remove ${injury.path}`;
