// Damage of a closed store: one bit flipped, a file cut or removed, or a whole stream removed, in every kind of file.
import {readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Random} from '../../random.js';
import {dataName} from './whole-store.js';

export type Injury =
  | {readonly how: 'flip'; readonly path: string; readonly byte: number; readonly bit: number}
  | {readonly how: 'cut'; readonly path: string; readonly bytes: number}
  | {readonly how: 'remove'; readonly path: string};

const streams = `${dataName}/nats/jetstream/$G/streams`;
/** Rewritten by every start, or not of the store. */
const ofNoConcern = /^data\/(?:nats\/(?:ports|server\.)|lock)/;

interface StoredFile {
  readonly path: string;
  readonly bytes: number;
}

/** Files by their kind: the stream, or the folder, and what the file is for. */
export function filesByKind(folder: string): ReadonlyMap<string, readonly StoredFile[]> {
  const kinds = new Map<string, StoredFile[]>();
  for (const path of readdirSync(folder, {recursive: true, encoding: 'utf8'}).sort()) {
    const stat = statSync(join(folder, path));
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

/** What start number `start`, from 0, damages: each kind of file in each store in turn, each time in another way. */
export interface Turn {
  /** Index of the store. */
  readonly store: number;
  readonly injury: Injury;
}

/** Says what each start damages in the stores of these folders. The seed orders the kinds of file, so that short runs differ. */
export function turnsOf(folders: readonly string[], seed: number): (start: number) => Turn {
  const stores = folders.map((folder) => filesByKind(folder));
  const order = new Random(seed);
  const names = [...new Set(stores.flatMap((kinds) => [...kinds.keys()]))].map((name) => ({name, at: order.next()}));
  const kinds = names.sort((a, b) => a.at - b.at).map(({name}) => name);
  return (start) => {
    const kind = Math.floor(start / stores.length) % kinds.length;
    const round = Math.floor(start / stores.length / kinds.length);
    const wanted = start % stores.length;
    // Some kinds are in one store alone.
    const store = stores[wanted]!.has(kinds[kind]!) ? wanted : stores.findIndex((one) => one.has(kinds[kind]!));
    const way = kind + wanted + round * stores.length;
    const random = new Random(seed * 1_000_003 + start);
    return {store, injury: planInjury(stores[store]!.get(kinds[kind]!)!, way, random)};
  };
}

/** What each kind of file meets in turn. */
const ways = ['flip', 'cut', 'remove', 'flip', 'stream'] as const;

/** Where is up to chance. */
function planInjury(files: readonly StoredFile[], way: number, random: Random): Injury {
  const file = random.pick(files);
  switch (ways[way % ways.length]!) {
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

export function injure(folder: string, injury: Injury): void {
  const path = join(folder, injury.path);
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
