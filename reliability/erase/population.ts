// Who is in the store: many users, of whom some are to be deleted and carry a marker wherever a client can put one.
import {randomBytes} from 'node:crypto';

export interface Marked {
  readonly userId: string;
  /** 32 random characters: in the id, an event name, property names and values, message ids and traits. */
  readonly marker: string;
}

export interface TrackedEvent {
  readonly event: string;
  readonly userId: string;
  readonly timestamp: string;
  readonly messageId: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

const names = ['visit', 'signup', 'purchase', 'invite', 'cancel'];
const firstMs = Date.UTC(2026, 0, 1);
const days = 60;

/** Random every time: a marker of an earlier run must not be found. */
export function markedUsers(count: number): Marked[] {
  return Array.from({length: count}, () => {
    const marker = randomBytes(16).toString('hex');
    return {userId: `gone-${marker}`, marker};
  });
}

/** Event `i` of the run: times spread over two months, users by a multiplicative walk. */
export function othersEvent(i: number, users: number): TrackedEvent {
  return eventOf(`stay-${(i * 7_919) % users}`, i, names[(i * 31) % names.length], {n: i % 100, path: `/p/${i % 40}`});
}

/** Every fifth event of a marked user carries its marker everywhere; the others look like anybody's. */
export function markedEvent(user: Marked, i: number): TrackedEvent {
  const {marker, userId} = user;
  if (i % 5 !== 0) return eventOf(userId, i, names[i % names.length], {n: i, path: `/p/${i % 40}`});
  const properties = {
    [`key ${marker}`]: 1,
    text: `value ${marker}`,
    nested: {deep: [marker]},
    long: `${marker} `.repeat(10),
  };
  return {...eventOf(userId, i, `name ${marker}`, properties), messageId: `id ${marker} ${i}`};
}

function eventOf(userId: string, i: number, event: string, properties: TrackedEvent['properties']): TrackedEvent {
  const timestamp = new Date(firstMs + ((i * 104_729) % (days * 86_400)) * 1_000).toISOString();
  return {event, userId, timestamp, messageId: `m-${userId}-${i}`, properties};
}

export const reportQueries: readonly string[] = [
  ...names.map((name) => `/v1/reports/events?event=${name}&from=2026-01-01&to=2026-03-31`),
  '/v1/reports/events?event=visit&from=2026-01-01&to=2026-03-31&interval=week&filter=path=/p/7',
  ...['dau', 'wau', 'mau'].map((metric) => `/v1/reports/users?metric=${metric}&from=2026-01-01&to=2026-03-31`),
  '/v1/reports/users?metric=dau&interval=month&from=2026-01-01&to=2026-03-31',
  '/v1/reports/funnel?steps[]=visit&steps[]=signup&steps[]=purchase&from=2026-01-01&to=2026-03-31',
];
