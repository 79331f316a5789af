// The canonical workload: what every row of every benchmark sends.
//   W1. Same seed and size, same bytes.
//   W2. No two events have the same time (asserted where it matters, workload/expected.ts), so that the order in which
//       connections happen to deliver them decides nothing and every report has one right answer.

import {Random} from '../../tools/random.js';
import {Weighted, zipf} from './weighted.js';

export interface WorkloadOptions {
  readonly seed: number;
  readonly eventCount: number;
  readonly userCount: number;
  readonly startMs: number;
  readonly dayCount: number;
  /** One event each of `userCount` users from this number on, instead of Zipf's share of all events. */
  readonly eachFrom?: number;
  /**
   * Anonymous ids of events; absent: none. `known`: every event has its user's device beside the user. `new`: events come in
   * pairs of one user from `eachFrom` on: one of a device without a user, then one of both, which links them.
   */
  readonly devices?: 'known' | 'new';
  /** Not the canonical mix: so many events have one of these names, evenly among the others, which have none of them. */
  readonly rare?: {readonly names: readonly string[]; readonly count: number};
}

export const dayMs = 86_400_000;

/** 50,000 users over 90 days that end long ago on every machine's clock: events of the future are refused. */
export const canonical = {
  seed: 20_240_101,
  userCount: 50_000,
  startMs: Date.UTC(2024, 0, 1),
  dayCount: 90,
} as const;

/** With 0.8 the most active of 50,000 users makes about 2 % of all events; with 1.0 it would be 9 %. */
export const zipfExponent = 0.8;
/** Events that arrive long after they happened. */
const lateShare = 0.02;
const lateMsMax = 7 * dayMs;

/** Name and weight, in parts of a thousand: a few names make most of the traffic, rare ones make the funnels. */
export const eventMix: readonly (readonly [string, number])[] = [
  ['page_viewed', 310],
  ['button_clicked', 180],
  ['search_performed', 90],
  ['item_viewed', 85],
  ['session_started', 70],
  ['form_submitted', 45],
  ['item_added', 40],
  ['video_played', 35],
  ['notification_opened', 30],
  ['item_removed', 20],
  ['file_uploaded', 18],
  ['comment_posted', 16],
  ['checkout_started', 14],
  ['signed_in', 12],
  ['settings_changed', 10],
  ['signed_up', 8],
  ['purchase_completed', 7],
  ['invite_sent', 5],
  ['plan_upgraded', 3],
  ['refund_requested', 2],
];

const paths = [
  '/',
  '/pricing',
  '/docs/getting-started',
  '/docs/api',
  '/blog/launch-week',
  '/features/funnels',
  '/features/reports',
  '/account/settings',
  '/account/billing',
  '/search',
  '/login',
  '/signup',
];
const countries = ['US', 'DE', 'GB', 'FR', 'IN', 'BR', 'JP', 'CA', 'NL', 'SE', 'ES', 'AU', 'PL', 'IT', 'KR', 'MX'];
const devices = ['desktop', 'mobile', 'tablet'];
const plans = ['free', 'starter', 'team', 'business'];
const durationMsEnd = 60_000;

/** What an event may have, by property; all but the number occur with every name. */
export const propertyValues: Readonly<Record<string, readonly string[]>> = {
  country: countries,
  plan: plans,
  path: paths,
  device: devices,
};

export interface WorkloadEvent {
  readonly name: string;
  readonly user: number;
  readonly timeMs: number;
  /** Ms after its turn; mostly 0. */
  readonly lateMs: number;
  readonly json: string;
}

/** In the order of arrival: times rise, but for the late ones. */
export function* workloadEvents(options: WorkloadOptions): Generator<WorkloadEvent> {
  const random = new Random(options.seed);
  const nameOf = nameDrawer(options);
  const {userCount, eachFrom} = options;
  const users = zipf(userCount, zipfExponent);
  for (let index = 0; index < options.eventCount; index++) {
    const name = nameOf(index, random);
    const turn = options.devices === 'new' ? index >> 1 : index;
    const user = eachFrom === undefined ? users.draw(random) : eachFrom + (turn % userCount);
    const {timeMs, lateMs} = eventTime(options, index, random);
    yield {name, user, timeMs, lateMs, json: eventJson(name, user, idsOf(options, index, user), timeMs, random)};
  }
}

function nameDrawer({eventCount, rare}: WorkloadOptions): (index: number, random: Random) => string {
  const drawerOf = (mix: typeof eventMix) => {
    const weights = new Weighted(mix.map(([, weight]) => weight));
    return (random: Random): string => mix[weights.draw(random)]![0];
  };
  if (rare === undefined) {
    const draw = drawerOf(eventMix);
    return (_, random) => draw(random);
  }
  const [drawRare, drawOther] = [true, false].map((isRare) =>
    drawerOf(eventMix.filter(([name]) => rare.names.includes(name) === isRare)),
  );
  const everyNth = Math.floor(eventCount / rare.count);
  return (index, random) => (index % everyNth === 0 ? drawRare! : drawOther!)(random);
}

/** Each event has its own slot of time, and within it an even ms; late ones fall on odd ms, so W2 fails almost never. */
function eventTime(
  {startMs, dayCount, eventCount}: WorkloadOptions,
  index: number,
  random: Random,
): Pick<WorkloadEvent, 'timeMs' | 'lateMs'> {
  const slotMs = (dayCount * dayMs) / eventCount;
  const punctualMs = startMs + Math.floor((index * slotMs) / 2) * 2;
  const isLate = random.next() < lateShare;
  // Before the first day nothing happened: the first events are late by less.
  const latenessMs = random.next() * Math.min(lateMsMax, punctualMs - startMs);
  const timeMs = isLate ? Math.floor((punctualMs - latenessMs) / 2) * 2 + 1 : punctualMs;
  return {timeMs, lateMs: Math.max(0, punctualMs - timeMs)};
}

/** The ids of an event as JSON members. */
function idsOf({devices}: WorkloadOptions, index: number, user: number): string {
  const known = `"userId":"${userId(user)}"`;
  if (devices === undefined) return known;
  const anonymous = `"anonymousId":"${deviceId(user)}"`;
  return devices === 'new' && index % 2 === 0 ? anonymous : `${anonymous},${known}`;
}

/** About 217 bytes. Six properties: four of few values, a number, and a session that is nearly unique. */
function eventJson(name: string, user: number, ids: string, timeMs: number, random: Random): string {
  const path = pick(paths, random);
  const country = pick(countries, random);
  const device = pick(devices, random);
  const plan = plans[user % plans.length]!;
  const durationMs = Math.floor(random.next() * durationMsEnd);
  const session = Math.floor(random.next() * 2 ** 32).toString(36);
  return (
    `{"event":"${name}",${ids},"timestamp":"${new Date(timeMs).toISOString()}",` +
    `"properties":{"path":"${path}","country":"${country}","device":"${device}","plan":"${plan}",` +
    `"duration_ms":${durationMs},"session":"${session}"}}`
  );
}

/** Spread over the alphabet, as real ids are. */
export function userId(user: number): string {
  return `usr_${Math.imul(user + 1, 2_654_435_761) >>> 0}`;
}

/** The device on which a user was anonymous first. */
export function deviceId(user: number): string {
  return `dev_${Math.imul(user + 1, 2_246_822_519) >>> 0}`;
}

function pick<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random.next() * values.length)]!;
}
