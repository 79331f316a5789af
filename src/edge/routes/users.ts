// GET /v1/user and /v1/users/:id.
import {isoText} from '../../../actors/calendar.js';
import {historyLimitDefault} from '../../../actors/limits.js';
import type {PartitionAnswer} from '../../asks/partition.js';
import {devicesListedMax, type UserRef} from '../../asks/users.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {failUnknown, type UnknownUser, userInPath, userInQuery} from '../query/asked-user.js';
import {askerOf} from '../query/asker-of.js';
import {devicesOf} from '../query/devices.js';
import {HistoryReader} from '../query/history.js';
import {seesTraits} from '../query/personal-data.js';
import {partitionOfUser} from '../query/user-partition.js';
import type {Handle} from '../route.js';

export const readUser: Handle = (front, exchange) => answerProfile(front, exchange, userInQuery(exchange));
export const readUserInPath: Handle = (front, exchange, segment) =>
  answerProfile(front, exchange, userInPath(exchange, segment));

async function answerProfile(front: Front, exchange: Exchange, user: UserRef): Promise<void> {
  const found = await profileOf(front, exchange, user);
  if (typeof found === 'string') exchange.json('200 OK', found);
  else failUnknown(exchange, found);
}

/** The profile as JSON, with the newest events of the user. */
export async function profileOf(front: Front, exchange: Exchange, user: UserRef): Promise<string | UnknownUser> {
  const partition = partitionOfUser(user, front.partitionCount);
  // Asked at once: under load the way to the partition's thread is longer than the answer takes.
  const [profile, page, anonymousIds] = await Promise.all([
    front.reads.asks.partition(partition, {ask: 'profile', user}, ['profile', 'unknown_user']),
    new HistoryReader(front.reads.asks, [partition], {user}, askerOf(exchange)).read(historyLimitDefault, undefined),
    user.kind === 'user' ? anonymousIdsOf(front, user.id) : undefined,
  ]);
  if (profile.kind === 'unknown_user') return profile;
  // A user who is deleted between the two answers is unknown, and not a profile without events.
  if (page.isUserUnknown) return page;
  const history = `"events":[${page.events.join(',')}],"events_has_more":${page.next !== undefined}`;
  return `{${profileFields(exchange, profile, anonymousIds)},${history}}`;
}

export async function anonymousIdsOf(front: Front, userId: string): Promise<readonly string[]> {
  const devices = await devicesOf(front.reads.asks, front.partitionCount, userId);
  return devices.flatMap(({anonymousIds}) => anonymousIds).slice(0, devicesListedMax);
}

/** A profile without its events. */
export function profileFields(
  exchange: Exchange,
  profile: Extract<PartitionAnswer, {kind: 'profile'}>,
  anonymousIds: readonly string[] | undefined,
): string {
  const {id, createdMs, lastSeenMs} = profile;
  const {traitsJson, traitsOverLimit} = seesTraits(exchange) ? profile : {traitsJson: '{}', traitsOverLimit: 0};
  const ids = anonymousIds === undefined ? '' : `,"anonymous_ids":${JSON.stringify(anonymousIds)}`;
  const times = `"created_at":"${isoText(createdMs)}","last_seen":"${isoText(lastSeenMs)}"`;
  const overLimit = traitsOverLimit > 0 ? `,"traits_over_limit":${traitsOverLimit}` : '';
  return `"id":${JSON.stringify(id)}${ids},"traits":${traitsJson}${overLimit},${times}`;
}
