// GET and DELETE /v1/user and /v1/users/:id, GET /v1/deletion and /v1/deletions/:id.
import {randomBytes} from 'node:crypto';
import {setTimeout as pause} from 'node:timers/promises';
import {isoText} from '../../../actors/calendar.js';
import {historyLimitDefault} from '../../../actors/limits.js';
import type {Deletion, PartitionAnswer, UserRef} from '../../asks.js';
import {monotonicMs} from '../../clock.js';
import type {Commit} from '../../ingest/log-message.js';
import {positionText} from '../../log-position.js';
import {logUnavailable} from '../admission/obstacles.js';
import {type Failure, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {pathPrefix} from '../http/path-prefix.js';
import {userInPath, userInQuery, userNotFound} from '../query/asked-user.js';
import {HistoryReader} from '../query/history.js';
import {anyText, required} from '../query/parameters.js';
import {noParameters, readPathId, readQuery} from '../query/query.js';
import {partitionOfUser} from '../query/user-partition.js';
import type {Handle} from '../route.js';
import {hasPosition} from './log-position.js';
import {lostWrite} from './lost-writes.js';

export const exampleDeletionId = 'del_2_0123456789abcdef0123456789abcdef';
/** `del_<partition>_<32 hex digits>`. */
export const deletionIdPattern = /^del_(\d{1,4})_[0-9a-f]{32}$/;

const deletionNotFound: Failure = {code: 'not_found', message: 'no such deletion'};

// A deletion that takes longer is answered as pending (docs/api.md, Users).
const deletionWaitMs = 5_000;
const deletionAnswerMsMax = deletionWaitMs + 5_000;
const askAgainMs = 100;

export const readUser: Handle = (front, exchange) => answerProfile(front, exchange, userInQuery(exchange));
export const readUserInPath: Handle = (front, exchange, segment) =>
  answerProfile(front, exchange, userInPath(exchange, segment));

async function answerProfile(front: Front, exchange: Exchange, user: UserRef): Promise<void> {
  const partition = partitionOfUser(user, front.partitionCount);
  // Both are asked at once: under load a message to the partition's thread takes longer than the answer.
  const [profile, page] = await Promise.all([
    front.asks.partition(partition, {ask: 'profile', user}, ['profile', 'unknown_user']),
    new HistoryReader(front.asks, [partition], {user}).read(historyLimitDefault, undefined),
  ]);
  // A user who is deleted between the two answers must not be half there.
  if (profile.kind === 'unknown_user' || page.isUserUnknown) return exchange.fail(userNotFound);
  exchange.json('200 OK', profileJson(profile, page.events, page.next !== undefined));
}

function profileJson(
  {id, traitsJson, createdMs, lastSeenMs, traitsOverLimit}: Extract<PartitionAnswer, {kind: 'profile'}>,
  events: readonly string[],
  hasMore: boolean,
): string {
  const times = `"created_at":"${isoText(createdMs)}","last_seen":"${isoText(lastSeenMs)}"`;
  const overLimit = traitsOverLimit > 0 ? `,"traits_over_limit":${traitsOverLimit}` : '';
  const history = `"events":[${events.join(',')}],"events_has_more":${hasMore}`;
  return `{"id":${JSON.stringify(id)},"traits":${traitsJson}${overLimit},${times},${history}}`;
}

export const deleteUser: Handle = (front, exchange) =>
  eraseUser(front, exchange, userInQuery(exchange), (deletion) => `/v1/deletion?id=${deletion}`);
export const deleteUserInPath: Handle = (front, exchange, segment) =>
  eraseUser(front, exchange, userInPath(exchange, segment), (deletion) => `/v1/deletions/${deletion}`);

/** `placeOf`: the path of the receipt. */
async function eraseUser(
  front: Front,
  exchange: Exchange,
  user: UserRef,
  placeOf: (deletion: string) => string,
): Promise<void> {
  const partition = partitionOfUser(user, front.partitionCount);
  const known = await front.asks.partition(partition, {ask: 'exists', user}, ['known_user', 'unknown_user']);
  if (known.kind === 'unknown_user') return answerUnknown(exchange, known.deletion);
  const deletionId = `del_${partition}_${randomBytes(16).toString('hex')}`;
  const address = front.clientAddresses.of(exchange);
  const commit = await appendErase(front, user, deletionId);
  front.audit.userDeleted(deletionId, exchange.key?.id ?? exchange.session!.by, address);
  const deletion = await awaitDeletion(front, commit, deletionId);
  if (deletion.status === 'completed') {
    exchange.json('200 OK', JSON.stringify({status: 'deleted', id: user.id, deletion}));
  } else {
    const location = ['Location', pathPrefix(front, exchange) + placeOf(deletion.id)] as const;
    exchange.json('202 Accepted', JSON.stringify({status: 'pending', id: user.id, deletion}), [location]);
  }
}

/** An earlier deletion is the answer for a client that asks again because it never saw the first answer. */
function answerUnknown(exchange: Exchange, deletion: Deletion | undefined): void {
  if (deletion === undefined) {
    exchange.fail(userNotFound);
    return;
  }
  exchange.failWith(userNotFound, {deletion});
}

/** Resolves when the erase entry is in the log. */
function appendErase(front: Front, {kind, id}: UserRef, deletionId: string): Promise<Commit> {
  const {publisher, encoder, wallMs, obstacles} = front;
  // A deletion writes parts and filler before it frees any room, and cannot be postponed once it is in the log.
  const obstacle = obstacles.toWriting();
  if (obstacle !== undefined) throw new RequestFailure(obstacle);
  encoder.erase(kind === 'user' ? 'u' : 'a', id, deletionId, wallMs());
  const {partition, bytes, start, end} = encoder;
  return new Promise((resolve, reject) => {
    const settled = (commit: Commit): void => {
      if (commit.outcome === 'stored') resolve(commit);
      else reject(new RequestFailure(lostWrite(commit)));
    };
    if (publisher.append(partition, bytes, start, end, {settled}) === undefined) {
      reject(new RequestFailure(logUnavailable));
    }
  });
}

/**
 * The entry is in the log: from now on the deletion happens, whether its partition answers now or not. A question that is lost
 * with its connection is asked again while there is time.
 */
async function awaitDeletion(front: Front, commit: Commit, id: string): Promise<Deletion | PendingDeletion> {
  const endMs = monotonicMs() + deletionWaitMs;
  for (let leftMs = deletionWaitMs; leftMs > 0; leftMs = endMs - monotonicMs()) {
    const deletion = await askDeletion(front, commit, id, leftMs);
    if (deletion !== undefined) return deletion;
    await pause(Math.min(askAgainMs, leftMs));
  }
  return pendingDeletion(id, commit);
}

async function askDeletion(
  {asks}: Front,
  {partition}: Commit,
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

/** What the edge knows without the partition, which has not counted the events yet. */
interface PendingDeletion extends Omit<Deletion, 'events_deleted' | 'log_position'> {
  readonly log_position: string | null;
  readonly events_deleted: null;
}

const pendingDeletion = (id: string, commit: Commit): PendingDeletion => ({
  id,
  status: 'pending',
  log_position: hasPosition(commit) ? positionText(commit) : null,
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
  const partition = Number(deletionIdPattern.exec(id)?.[1] ?? Number.NaN);
  if (!(partition < front.partitionCount)) return exchange.fail(deletionNotFound);
  const question = {ask: 'deletion', id, waitMs: 0} as const;
  const answer = await front.asks.partition(partition, question, ['deletion', 'unknown_deletion']);
  if (answer.kind === 'unknown_deletion') return exchange.fail(deletionNotFound);
  exchange.json('200 OK', JSON.stringify({deletion: answer.deletion}));
}
