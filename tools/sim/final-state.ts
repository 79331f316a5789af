// The end of a seed, compared with the slow model: rows, windows, names, profiles, deletions, and bytes on the disk.
import {gunzipSync} from 'node:zlib';
import {wtf8} from '../../actors/bytes/bytes.js';
import {partitionOf} from '../../actors/bytes/hash.js';
import {entryKind} from '../../actors/log/entries.js';
import {MessageCursor} from '../../actors/log/entry-view.js';
import {tokenOf, tokenPattern} from './clients.js';
import type {LogModel, ModelOfAll} from './model.js';
import type {PublishedSet, PublishedSnapshot} from './published.js';
import type {SimServer} from './server.js';
import type {Stored} from './store.js';

export interface End {
  readonly server: SimServer;
  /** The newest snapshots, by partition, and all of them together. */
  readonly snapshots: readonly PublishedSnapshot[];
  readonly published: PublishedSet;
  /** All entries that were accepted and not lost, applied in order: by partition, and all logs together. */
  readonly logs: readonly LogModel[];
  readonly model: ModelOfAll;
  readonly surviving: readonly Stored[];
  /** Log messages lost in a power cut. */
  readonly lost: readonly Stored[];
  /** Texts of events that were answered 200. */
  readonly acked: ReadonlySet<string>;
  /** How often each event was passed to an edge. */
  readonly sent: ReadonlyMap<string, number>;
  readonly hasLosses: boolean;
  /** What moves between users is counted by the deletion where it was: the sum over the partitions is sure. */
  readonly hasLinks: boolean;
  /** Users who were deleted for good, by their ids, and when that began. */
  readonly leftMs: ReadonlyMap<string, number>;
  /** Names that were deleted for good, and when that began. */
  readonly nameLeftMs: ReadonlyMap<string, number>;
}

export function faultsOfEnd(end: End): string[] {
  return [
    ...ackedFaults(end),
    ...repeatFaults(end),
    ...(end.hasLosses ? lossyFaults(end) : exactFaults(end)),
    ...(end.hasLosses ? [] : [...eraseFaults(end), ...halfFaults(end), ...leftFaults(end), ...leftNameFaults(end)]),
  ];
}

const tokensOf = (messages: readonly Stored[]): Set<string> => new Set(messages.flatMap(({data}) => tokensIn(data)));

/** Searches before it decodes: most of the bytes are filler, which is expensive as text. */
function tokensIn(data: Uint8Array): string[] {
  const bytes = viewOf(data);
  return bytes.includes('tok') ? (bytes.toString('latin1').match(tokenPattern) ?? []) : [];
}

const viewOf = (data: Uint8Array): Buffer => Buffer.from(data.buffer, data.byteOffset, data.length);

/** A 200 means that the event is in the log. */
function ackedFaults({acked, surviving, lost}: End): string[] {
  const stored = tokensOf([...surviving, ...lost]);
  return [...acked].filter((token) => !stored.has(token)).map((token) => `${token} was acked and is in no log message`);
}

/** A retry has the number of its original: an event is in as many messages, by producer and number, as it was sent. */
function repeatFaults({sent, surviving, lost}: End): string[] {
  const ofClients = [...surviving, ...lost].filter((message) => !holds(entryKind.arrive)(message));
  const messages = new Map(ofClients.map((message) => [new MessageCursor(message.data).mark, message]));
  const stored = new Map<string, number>();
  for (const message of messages.values()) {
    for (const token of tokensOf([message])) stored.set(token, (stored.get(token) ?? 0) + 1);
  }
  return [...stored]
    .filter(([token, count]) => count > (sent.get(token) ?? 0))
    .map(([token, count]) => `${token} was sent ${sent.get(token) ?? 0} times and is in ${count} log messages`);
}

function exactFaults({model, logs, snapshots, published, hasLinks}: End): string[] {
  const expected = logs.flatMap(({partition, deletions}) =>
    [...deletions].map(([id, events]) => `${partition} ${id} = ${hasLinks ? '' : events}`),
  );
  const found = snapshots.flatMap((snapshot) =>
    snapshot.deletions().map(({id, eventsDeleted}) => `${snapshot.partition} ${id} = ${hasLinks ? '' : eventsDeleted}`),
  );
  const pending = snapshots.flatMap(({index}) => index.deletions).filter(({completed}) => completed === null);
  return [
    ...model.faults,
    ...snapshots.flatMap((snapshot) => snapshot.faults()),
    ...difference('row', model.rows(), published.rows()),
    ...difference('cell', linesOf(model.cells()), linesOf(published.cells())),
    ...difference('day member', model.members(), published.members()),
    ...difference('name', linesOf(model.nameCounts()), linesOf(published.nameCounts())),
    ...difference('profile', model.profiles(logs), published.profiles()),
    ...difference('deletion', expected, found),
    ...difference('events of deletion', linesOf(model.deleted), linesOf(deletedEvents(snapshots))),
    ...pending.map(({id}) => `deletion ${id} is pending`),
  ];
}

/** Of all partitions, by deletion. */
function deletedEvents(snapshots: readonly PublishedSnapshot[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const {id, eventsDeleted} of snapshots.flatMap((snapshot) => snapshot.deletions()))
    if (eventsDeleted > 0) counts.set(id, (counts.get(id) ?? 0) + eventsDeleted);
  return counts;
}

/** Events and their cells, whoever they are of by then. */
export function countFaults(model: ModelOfAll, published: PublishedSet): string[] {
  const tokens = (rows: readonly string[]): string[] => rows.map(tokenOf).sort();
  return [
    ...model.faults,
    ...difference('event', tokens(model.rows()), tokens(published.rows())),
    ...difference('cell', linesOf(model.cells()), linesOf(published.cells())),
  ];
}

/**
 * The log lost its tail: the state has each entry of the tail once or not at all, and every other entry once; all parts of the
 * state agree.
 */
function lossyFaults({model, published, surviving, lost}: End): string[] {
  const maybe = tokensOf(lost);
  const isSure = (row: string) => !maybe.has(row.match(tokenPattern)?.[0] ?? '');
  const rows = published.rows();
  const kept = rows.filter((row) => !isSure(row)).map((row) => row.match(tokenPattern)?.[0] as string);
  const copies = kept.filter((token, i) => kept.indexOf(token) !== i);
  const cells = [...published.cells().values()].reduce((sum, count) => sum + count, 0);
  return [
    ...(lost.some(holds(entryKind.erase)) ? [] : difference('row', model.rows().filter(isSure), rows.filter(isSure))),
    ...copies
      .filter((token) => sentAs([...surviving, ...lost], token) < 2)
      .map((token) => `${token} of the lost tail is there twice`),
    ...(cells === rows.length ? [] : [`the windows count ${cells} events, there are ${rows.length} rows`]),
  ];
}

const holds =
  (kind: number) =>
  ({data}: Stored): boolean => {
    const cursor = new MessageCursor(data);
    while (cursor.next()) if (cursor.entry.kind === kind) return true;
    return false;
  };

/** Number of different log messages with a text: a client may send an event without a message id again. */
const sentAs = (messages: readonly Stored[], token: string): number =>
  new Set(messages.filter(({data}) => viewOf(data).includes(token)).map(({data}) => new MessageCursor(data).mark)).size;

/** No erased text is on the disk. */
function eraseFaults({server, model, logs}: End): string[] {
  const gone = model.gone(logs, tokenOf);
  if (gone.size === 0) return [];
  const faults: string[] = [];
  for (const stream of server.streams) {
    for (const message of stream.onDisk()) {
      const found = [...textsIn(message.data)].filter((token) => gone.has(token));
      if (found.length > 0) faults.push(`${found[0]} was erased and is on disk: ${message.subject} (${message.seq})`);
    }
  }
  return faults;
}

/** A deletion that began somewhere has come to its user's partition, whoever died meanwhile. */
function halfFaults({surviving, logs}: End): string[] {
  const ends = logs.map(({deletions}) => new Set(deletions.keys()));
  return surviving.flatMap(erasuresIn).flatMap(({key, id}) => {
    const userKey = wtf8(key);
    const home = partitionOf(userKey, 0, userKey.length, logs.length);
    return ends[home]?.has(id) ? [] : [`deletion ${id} of ${key} never came to ${home}`];
  });
}

function erasuresIn({data}: Stored): {readonly key: string; readonly id: string}[] {
  const erasures: {readonly key: string; readonly id: string}[] = [];
  const cursor = new MessageCursor(data);
  while (cursor.next()) {
    const {entry} = cursor;
    if (entry.kind === entryKind.erase) erasures.push({key: entry.userKey(), id: entry.text()});
  }
  return erasures;
}

/** Who names whom in the logs: the key of an entry, and the ids in it. */
interface Naming {
  readonly key: string;
  readonly ids: readonly string[];
  readonly atMs: number;
}

function namingsIn({data, atMs}: Stored): Naming[] {
  const namings: Naming[] = [];
  const cursor = new MessageCursor(data);
  while (cursor.next()) {
    const {entry} = cursor;
    if (entry.kind === entryKind.arrive) return namings;
    const key = isOfUser(entry.kind) ? entry.userKey() : '';
    if (entry.kind === entryKind.link)
      namings.push({key: entry.text(), ids: [entry.text().slice(1), key.slice(1)], atMs});
    else if (key !== '') namings.push({key, ids: [key.slice(1), entry.anonymousId()], atMs});
  }
  return namings;
}

const isOfUser = (kind: number): boolean =>
  kind === entryKind.event || kind === entryKind.identify || kind === entryKind.link;

/** No id of a user who was deleted for good is on the disk, nor those of its devices that no other user named or is. */
function leftFaults({server, surviving, model, leftMs}: End): string[] {
  const namings = surviving.flatMap(namingsIn);
  const isPast = (id: string, untilMs: number): boolean =>
    namings.every(({ids, atMs}) => atMs < untilMs || !ids.includes(id));
  const gone = [...leftMs].flatMap(([user, untilMs]) => {
    if (!isPast(user, untilMs)) return []; // It came back.
    const devices = new Set(namings.filter(({key}) => key === `u${user}`).flatMap(({ids}) => ids.slice(1)));
    const isOwn = (device: string): boolean =>
      namings.every(({key, ids}) => key === `u${user}` || key === `a${device}` || !ids.includes(device)) &&
      model.counted.every((event) => event.user !== `a${device}`);
    return [user, ...[...devices].filter((device) => device !== '' && isOwn(device) && isPast(device, untilMs))];
  });
  return gone.flatMap((id) => onDisk(server, id));
}

/** No name that was deleted for good is on the disk. */
function leftNameFaults({server, surviving, nameLeftMs}: End): string[] {
  const gone = [...nameLeftMs].filter(([name, untilMs]) =>
    surviving.every((message) => message.atMs < untilMs || !hasEventOf(message, name)),
  );
  return gone.flatMap(([name]) => onDisk(server, name));
}

function hasEventOf({data}: Stored, name: string): boolean {
  const cursor = new MessageCursor(data);
  while (cursor.next()) {
    if (cursor.entry.kind === entryKind.arrive) return false; // What arrives was there before.
    if (cursor.entry.kind === entryKind.event && cursor.entry.text() === name) return true;
  }
  return false;
}

const onDisk = (server: SimServer, text: string): string[] =>
  server.streams.flatMap((stream) =>
    [...stream.onDisk()]
      .filter(({data}) => isIn(data, text))
      .map(({subject, seq}) => `${text} was deleted and is on disk: ${subject} (${seq})`),
  );

function isIn(data: Uint8Array, text: string): boolean {
  const bytes = viewOf(data);
  if (bytes.includes(text)) return true;
  for (let at = bytes.indexOf(gzipMagic); at >= 0; at = bytes.indexOf(gzipMagic, at + 1))
    if (inflated(bytes.subarray(at)).includes(text)) return true;
  return false;
}

function textsIn(data: Uint8Array): Set<string> {
  const bytes = viewOf(data);
  const found = new Set<string>(tokensIn(data));
  for (let at = bytes.indexOf(gzipMagic); at >= 0; at = bytes.indexOf(gzipMagic, at + 1)) {
    for (const token of inflated(bytes.subarray(at)).match(tokenPattern) ?? []) found.add(token);
  }
  return found;
}

const gzipMagic = Buffer.from([0x1f, 0x8b, 0x08]);

/** Empty when no gzip member starts here. */
function inflated(bytes: Buffer): string {
  try {
    return gunzipSync(bytes).toString('latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}

const linesOf = (entries: Iterable<readonly [string, number]>): string[] =>
  [...entries].map(([key, value]) => `${key} = ${value}`).sort();

/** Some of the lines that only one side has, with multiplicities. */
function difference(what: string, expected: readonly string[], actual: readonly string[]): string[] {
  const balance = new Map<string, number>();
  for (const line of expected) balance.set(line, (balance.get(line) ?? 0) + 1);
  for (const line of actual) balance.set(line, (balance.get(line) ?? 0) - 1);
  const off = [...balance].filter(([, count]) => count !== 0);
  return off.slice(0, 5).map(([line, count]) => `${what} ${count > 0 ? 'missing' : 'too many'}: ${line}`);
}
