// DELETE /v1/user, /v1/users/:id and /v1/name, GET /v1/deletion and /v1/deletions/:id.
//   DE1. A deletion is one erase entry. The anonymous users that a user is (actors/identity) are erased first: the entry names
//        the partitions where it goes on, and the owner of each brings it to the next (src/partition/erasure/onward.ts). The
//        user's partition is the last one: by then it has everything that left for it.
//   DE2. Once the entry is in a log, the deletion is carried out, whichever process dies and whether the client waits or not.
//        All events of a name are erased in every partition, one after the other.
//   DE3. Everywhere the deletion has its id. Its receipt is that of all partitions that have one, and is not complete without
//        that of the user's own.
//   DE4. A client that asks again while a deletion is pending gets that one. A new one begins only if the user has come again to a
//        partition where that one has been. On one edge also while the deletion is being prepared; of two edges that are asked at
//        the same moment each may begin one.
import {randomBytes} from 'node:crypto';
import {setTimeout as pause} from 'node:timers/promises';
import {partitionOf} from '../../../actors/bytes/hash.js';
import {type KeyKind, nameKey} from '../../../actors/log/entries.js';
import type {Deletion, UserRef} from '../../asks/users.js';
import {monotonicMs} from '../../clock.js';
import type {Commit} from '../../ingest/log-message.js';
import {positionText} from '../../log-position.js';
import {logUnavailable} from '../admission/obstacles.js';
import type {NamedBy} from '../answers/users.js';
import {type Failure, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {pathPrefix} from '../http/path-prefix.js';
import {failUnknown, userInPath, userInQuery} from '../query/asked-user.js';
import {devicesOf} from '../query/devices.js';
import {anyText, name, required} from '../query/parameters.js';
import {noParameters, readPathId, readQuery} from '../query/query.js';
import {partitionOfUser} from '../query/user-partition.js';
import type {Handle} from '../route.js';
import {hasPosition} from './log-position.js';
import {lostWrite} from './lost-writes.js';
import {findNaming, keepNaming, namedByOf, shownNaming} from './named-by.js';

export const exampleDeletionId = 'del_2_0123456789abcdef0123456789abcdef';
/** `del_<partition>_<32 hex digits>`. */
export const deletionIdPattern = /^del_(\d{1,4})_[0-9a-f]{32}$/;

const deletionNotFound: Failure = {code: 'not_found', message: 'no such deletion'};
const nameNotFound: Failure = {code: 'not_found', message: 'there is no event of this name'};

// A deletion that takes longer is answered as pending (docs/api/people.md, Deletion).
const deletionWaitMs = 5_000;
const deletionAnswerMsMax = deletionWaitMs + 5_000;
const askAgainMs = 100;

export const deleteUser: Handle = (front, exchange) =>
  eraseUser(front, exchange, userInQuery(exchange), (deletion) => `/v1/deletion?id=${deletion}`);
export const deleteUserInPath: Handle = (front, exchange, segment) =>
  eraseUser(front, exchange, userInPath(exchange, segment), (deletion) => `/v1/deletions/${deletion}`);

/** The known parts of a deletion. */
interface Receipt extends Omit<Deletion, 'events_deleted' | 'log_position'> {
  readonly log_position: string | null;
  readonly events_deleted: number | null;
}

/** With what names the user (named-by.ts). */
type NamedReceipt = Receipt & {readonly named_by: readonly NamedBy[]};

interface Order {
  readonly id: string;
  /** What is deleted: a user or a name of events. */
  readonly kind: KeyKind;
  readonly text: string;
  /** Partitions in the order in which they erase it. Its own is the last one, and listed twice if devices are in it. */
  readonly route: readonly number[];
}

/** A deletion whose entry is in a log. */
interface Begun {
  /** As it is known now. */
  readonly receipt: NamedReceipt;
  /** Resolves when it is completed, or time is up. */
  readonly awaited: () => Promise<NamedReceipt>;
}

/** Deletions that this edge prepares. DE4 */
const prepared = new Map<string, Promise<Begun | undefined>>();

/**
 * Answers with the deletion of `what` that this edge prepares for somebody else, or else with that of `begin`, which resolves with
 * undefined when it has answered by itself.
 */
async function deleteOnce(
  what: string,
  answer: (receipt: NamedReceipt) => void,
  begin: () => Promise<Begun | undefined>,
): Promise<void> {
  for (let other = prepared.get(what); other !== undefined; other = prepared.get(what)) {
    const begun = await other.catch(() => undefined);
    if (begun !== undefined) return answer(begun.receipt);
  }
  const own = begin().finally(() => prepared.delete(what));
  prepared.set(what, own);
  const begun = await own;
  if (begun !== undefined) answer(await begun.awaited());
}

/** `placeOf`: where the receipt is asked for. */
const eraseUser = (
  front: Front,
  exchange: Exchange,
  user: UserRef,
  placeOf: (deletion: string) => string,
): Promise<void> =>
  deleteOnce(
    `${user.kind} ${user.id}`,
    (receipt) => answerDeletion(front, exchange, {id: user.id}, receipt, placeOf),
    () => beginErase(front, exchange, user),
  );

async function beginErase(front: Front, exchange: Exchange, user: UserRef): Promise<Begun | undefined> {
  const startMs = monotonicMs();
  const home = partitionOfUser(user, front.partitionCount);
  const [known, devices] = await Promise.all([
    front.reads.asks.partition(home, {ask: 'exists', user}, ['known_user', 'unknown_user']),
    user.kind === 'anonymous' ? [] : devicesOf(front.reads.asks, front.partitionCount, user.id),
  ]);
  // Devices of a user, shared ones included: their earlier events are still this user's.
  const devicesAt = devices.flatMap(({hasAny}, partition) => (hasAny ? [partition] : []));
  // DE4
  const pending = devices.find(
    ({onward}) => onward && [...devicesAt, home].every((at) => onward.partitions.includes(at)),
  );
  const earlier = pending?.onward?.id ?? (known.kind === 'unknown_user' ? known.deletion?.id : undefined);
  // A user with neither events nor a profile may be linked.
  const isGone = known.kind === 'unknown_user' && devicesAt.length === 0;
  if (isGone || pending !== undefined) {
    const deletion = earlier === undefined ? undefined : await readReceipt(front, earlier);
    if (deletion?.status === 'pending') return {receipt: deletion, awaited: async () => deletion};
    if (known.kind === 'unknown_user' && isGone) {
      failUnknown(exchange, known, deletion && {deletion});
      return undefined;
    }
  }
  const elsewhere = devicesAt.filter((partition) => partition !== home);
  const route = devicesAt.includes(home) ? [...elsewhere, home, home] : [...elsewhere, home];
  const order = {id: newDeletionId(home), kind: user.kind === 'user' ? 'u' : 'a', text: user.id, route} as const;
  const address = front.operations.clientAddresses.of(exchange);
  const found = await findNaming(
    front,
    user,
    home,
    devices.flatMap(({anonymousIds}) => anonymousIds),
  );
  failIfObstructed(front); // Before links stop.
  await keepNaming(front, exchange, order.id, found);
  const commit = await appendErase(front, order);
  front.kept.audit.userDeleted(order.id, exchange.caller.key?.id ?? exchange.caller.session!.by, address);
  if (devicesAt.length > 0) front.writes.forgetLinks(user.id);
  const named = (receipt: Receipt): NamedReceipt => ({...receipt, named_by: shownNaming(front, found.naming)});
  return {
    receipt: named(begunDeletion(order, commit)),
    awaited: async () => named(await awaitDeletion(front, order, commit, startMs)),
  };
}

const newDeletionId = (home: number): string => `del_${home}_${randomBytes(16).toString('hex')}`;

/** What was deleted, as an answer names it. */
type Deleted = {readonly id: string} | {readonly event: string};

function answerDeletion(
  front: Front,
  exchange: Exchange,
  deleted: Deleted,
  deletion: NamedReceipt,
  placeOf: (deletion: string) => string,
): void {
  if (deletion.status === 'completed') {
    exchange.json('200 OK', JSON.stringify({status: 'deleted', ...deleted, deletion}));
  } else {
    const location = ['Location', pathPrefix(front.operations, exchange) + placeOf(deletion.id)] as const;
    exchange.json('202 Accepted', JSON.stringify({status: 'pending', ...deleted, deletion}), [location]);
  }
}

export const nameForm = {
  event: required(name, {description: 'The name of the events.', example: 'sign_up_4711'}),
};

/** Deletes all events of a name, in every partition. */
export const deleteName: Handle = (front, exchange) => {
  const {event} = readQuery(exchange.query, nameForm);
  const placeOf = (id: string): string => `/v1/deletion?id=${id}`;
  return deleteOnce(
    `name ${event}`,
    (receipt) => answerDeletion(front, exchange, {event}, receipt, placeOf),
    () => beginNameErase(front, exchange, event),
  );
};

async function beginNameErase(front: Front, exchange: Exchange, event: string): Promise<Begun | undefined> {
  const startMs = monotonicMs();
  const {partitionCount} = front;
  const key = nameKey(event);
  const home = partitionOf(key, 0, key.length, partitionCount);
  const route = [...Array.from({length: partitionCount}, (_, at) => at).filter((at) => at !== home), home];
  const question = {ask: 'name', event} as const;
  const answers = await Promise.all(route.map((at) => front.reads.asks.partition(at, question, ['name'])));
  const isGone = answers.every(({isKnown}) => !isKnown);
  const earlier = answers.find(({isKnown, deletion}) => !isKnown && deletion !== undefined)?.deletion?.id;
  const hasComeAgain = answers.some(({isKnown, deletion}) => isKnown && deletion?.id === earlier);
  if (isGone || (earlier !== undefined && !hasComeAgain)) {
    const deletion = earlier === undefined ? undefined : await readReceipt(front, earlier);
    if (deletion?.status === 'pending') return {receipt: deletion, awaited: async () => deletion}; // DE4
    if (isGone) {
      exchange.failWith(nameNotFound, {...(deletion && {deletion})});
      return undefined;
    }
  }
  const order = {id: newDeletionId(home), kind: 'n', text: event, route} as const;
  const address = front.operations.clientAddresses.of(exchange);
  const commit = await appendErase(front, order);
  front.kept.audit.nameDeleted(order.id, exchange.caller.key?.id ?? exchange.caller.session!.by, address);
  return {
    receipt: {...begunDeletion(order, commit), named_by: []},
    awaited: async () => {
      const receipt = await awaitDeletion(front, order, commit, startMs);
      await front.writes.readNames(); // The name makes room for another one.
      return {...receipt, named_by: []};
    },
  };
}

/** A deletion writes parts and filler before it frees any room, and cannot be put off once it is in the log. */
function failIfObstructed({operations: {obstacles}}: Front): void {
  const obstacle = obstacles.toWriting();
  if (obstacle !== undefined) throw new RequestFailure(obstacle);
}

/** Resolves when the erase entry is in the log of the first partition. DE1 */
function appendErase(front: Front, {id: deletionId, kind, text, route}: Order): Promise<Commit> {
  const [first, ...onward] = route;
  const {wallMs} = front;
  const {publisher, encoder} = front.writes;
  failIfObstructed(front);
  encoder.erase(kind, text, deletionId, wallMs(), onward);
  const {bytes, start, end} = encoder;
  return new Promise((resolve, reject) => {
    const settled = (commit: Commit): void => {
      if (commit.outcome === 'stored') resolve(commit);
      else reject(new RequestFailure(lostWrite(commit)));
    };
    if (publisher.append(first!, bytes, start, end, {settled}) === undefined) {
      reject(new RequestFailure(logUnavailable));
    }
  });
}

/**
 * The entry is in the log: from here on the deletion happens, whether its partitions answer now or not. A question that
 * goes down with its connection is asked again while there is time, which began at `startMs`.
 */
async function awaitDeletion(front: Front, {id, route}: Order, commit: Commit, startMs: number): Promise<Receipt> {
  const endMs = startMs + deletionWaitMs;
  const partitions = [...new Set(route.toReversed())];
  for (let leftMs = endMs - monotonicMs(); leftMs > 0; leftMs = endMs - monotonicMs()) {
    const waitMs = leftMs;
    const deletions = await Promise.all(partitions.map((partition) => askDeletion(front, partition, id, waitMs)));
    if (deletions.every((deletion) => deletion !== undefined)) return merged(deletions);
    await pause(Math.min(askAgainMs, leftMs));
  }
  return begunDeletion({id, route}, commit);
}

/** What this edge knows of a deletion whose entry is in the log of its first partition. */
const begunDeletion = ({id, route}: Pick<Order, 'id' | 'route'>, commit: Commit): Receipt =>
  pendingDeletion(id, route.length === 1 ? commit : undefined);

async function askDeletion(
  {reads: {asks}}: Front,
  partition: number,
  id: string,
  waitMs: number,
): Promise<Deletion | undefined> {
  try {
    const question = {ask: 'deletion', id, waitMs} as const;
    const answer = await asks.partition(partition, question, ['deletion', 'unknown_deletion'], deletionAnswerMsMax);
    return answer.kind === 'deletion' ? answer.deletion : undefined;
  } catch (error) {
    if (error instanceof RequestFailure) return undefined;
    throw error;
  }
}

/** DE3. The first is that of the user's own partition. */
function merged(deletions: readonly Deletion[]): Receipt {
  const own = deletions[0]!;
  if (deletions.length === 1) return own;
  const {id, log_position} = own;
  const events = deletions.reduce((sum, {events_deleted}) => sum + events_deleted, 0);
  const completed = deletions.flatMap(({completed_at}) => completed_at ?? []);
  if (completed.length < deletions.length)
    return {id, status: 'pending', log_position, events_deleted: events, completed_at: null, verified: null};
  const verified = [...new Set(deletions.flatMap((deletion) => deletion.verified ?? []))];
  const completedAt = completed.sort().at(-1)!;
  return {id, status: 'completed', log_position, events_deleted: events, completed_at: completedAt, verified};
}

/** The edge's own record of a deletion: the partition has not counted the events yet. */
const pendingDeletion = (id: string, commit: Commit | undefined): Receipt => ({
  id,
  status: 'pending',
  log_position: commit !== undefined && hasPosition(commit) ? positionText(commit) : null,
  events_deleted: null,
  completed_at: null,
  verified: null,
});

export const deletionForm = {
  id: required(anyText, {description: 'The id of the deletion, as it was answered.', example: exampleDeletionId}),
};

export const readDeletion: Handle = (front, exchange) =>
  answerReceipt(front, exchange, readQuery(exchange.query, deletionForm).id);

export const readDeletionInPath: Handle = (front, exchange, segment) => {
  const id = readPathId(segment);
  readQuery(exchange.query, noParameters);
  return answerReceipt(front, exchange, id);
};

async function answerReceipt(front: Front, exchange: Exchange, id: string): Promise<void> {
  const deletion = await readReceipt(front, id);
  if (deletion === undefined) return exchange.fail(deletionNotFound);
  exchange.json('200 OK', JSON.stringify({deletion}));
}

async function readReceipt(front: Front, id: string): Promise<NamedReceipt | undefined> {
  if (!deletionIdPattern.test(id)) return undefined;
  const [receipt, named_by] = await Promise.all([receiptOf(front, id), namedByOf(front, id)]);
  return receipt && {...receipt, named_by};
}

/** DE3 */
async function receiptOf({partitionCount, reads: {asks}}: Front, id: string): Promise<Receipt | undefined> {
  const number = deletionIdPattern.exec(id)?.[1];
  if (number === undefined) return undefined;
  const home = Number(number) % partitionCount; // There were more partitions before (actors/redistribution.ts RD5).
  const partitions = [home, ...Array.from({length: partitionCount}, (_, at) => at).filter((at) => at !== home)];
  const question = {ask: 'deletion', id, waitMs: 0} as const;
  const [own, ...others] = await Promise.all(
    partitions.map((partition) => asks.partition(partition, question, ['deletion', 'unknown_deletion'])),
  );
  const known = others.flatMap((answer) => (answer.kind === 'deletion' ? [answer.deletion] : []));
  if (own!.kind === 'deletion') return merged([own!.deletion, ...known]);
  return known.length === 0 ? undefined : pendingDeletion(id, undefined);
}
