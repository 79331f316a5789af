// Random requests of persons with several devices, hard on purpose: few users and names, times that meet at the same millisecond and at the
// borders of hours, days, weeks and months, many offsets, message ids that come again, values that look like others.
//   W1. An event of a device alone has a time of its own, and its messageId is sent with that device alone: when it joins its
//       person, a few seconds after it was sent, is no question then.

import {type ActiveUsersQuery, metrics} from '../../tools/model/active-users.js';
import {dayMs, formatTime, hourMs, type Interval, intervals, parseTime} from '../../tools/model/calendar.js';
import type {EventCountsQuery} from '../../tools/model/event-counts.js';
import type {FunnelQuery} from '../../tools/model/funnel.js';
import type {HistoryQuery} from '../../tools/model/history.js';
import {
  type EventBody,
  type IdentifyBody,
  type Json,
  type JsonObject,
  type UserRef,
  userOf,
} from '../../tools/model/model.js';
import {Random} from '../../tools/random.js';

export interface InvalidEvent {
  readonly body: Record<string, unknown>;
  readonly field: string;
}

export const users: readonly UserRef[] = [
  ...['ada', 'bob', 'cyd', 'a/b c+d%2F', 'Ünï ☂ 😀', 'identify', '__proto__', '"q"\\', 'w'.repeat(256), '0', '-1'].map(
    (id) => ({kind: 'user' as const, id}),
  ),
  ...['ada', 'anon-1', '__proto__', 'events'].map((id) => ({kind: 'anonymous' as const, id})),
];

/** Anonymous users who log in as one user each. `bob` is in both name spaces. */
const devices: readonly {readonly id: string; readonly owner: string}[] = [
  ...['laptop', 'phone ☂', 'p/q+r%2F'].map((id) => ({id, owner: 'ada'})),
  ...['bob', 'd'.repeat(256)].map((id) => ({id, owner: 'bob'})),
  {id: '"t"\\', owner: 'cyd'},
  {id: 'tablet', owner: 'a/b c+d%2F'},
  {id: 'toString', owner: '__proto__'},
];
/** A device that several users share, until the next one is bought. */
const kioskChance = 0.15;
const kioskUsers = users.slice(0, 3);
/** Of the events of a batch. */
const kioskShare = 0.05;

export const eventNames = ['view', 'sign up', 'buy', 'ünï=&+☂', 'constructor', '__proto__'];

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Africa/Cairo', '-03:30'];
const propertyPaths = [
  'plan',
  'n',
  'on',
  'a',
  'a.b',
  'a.b',
  'a.b',
  'deep.b',
  'deep.c',
  'deep.length',
  'constructor',
  'no',
];

/** Traits that are full at 256 keys, or at 64 KiB: each kind on users of its own, so that no guess is near the bound. */
const wideUser = 'bob';
const heavyUser = 'cyd';

const stretches: readonly (readonly [number, number])[] = [
  [Date.UTC(2024, 1, 20), Date.UTC(2024, 2, 5)],
  [Date.UTC(2023, 11, 24), Date.UTC(2024, 0, 9)],
  [Date.UTC(2022, 9, 1), Date.UTC(2022, 10, 30)],
  [0, 3 * dayMs],
];

export class Workload {
  readonly random: Random;
  private readonly times: number[] = [];
  private readonly messageIds: string[] = [];
  private readonly kiosks = ['kiosk'];
  private readonly stretches: (readonly [number, number])[];
  private traitCount = 0;
  private unusedMs: number;

  /** `nowMs`: some events are of the last days and of the hours to come. `past`: others are of these times. */
  constructor(
    seed: number,
    nowMs: number,
    private readonly batchEventsMax: number,
    past?: readonly [number, number],
  ) {
    this.random = new Random(seed);
    const drawn = this.random.pick(stretches);
    past ??= drawn;
    this.stretches = [past, past, [nowMs - 2 * dayMs, nowMs + 20 * hourMs]];
    // Times of which no two are equal, for events that race each other or join later: their order is then no question of arrival.
    this.unusedMs = past[0] + 7;
  }

  event(user: UserRef = this.user()): EventBody {
    const {random} = this;
    const isDevice = this.isDevice(user);
    return {
      event: random.pick(eventNames),
      ...this.idsOf(user),
      timestamp: this.timestampOf(user),
      ...(random.chance(0.7) ? {properties: random.chance(0.05) ? null : this.properties()} : {}),
      ...(random.chance(0.4) ? {messageId: isDevice ? this.messageIdOf(user) : this.messageId()} : {}),
    };
  }

  /** One that names a shared device. */
  eventOfKiosk(): EventBody {
    const {random} = this;
    const anonymousId = this.kiosk();
    if (random.chance(0.6)) return this.event({kind: 'anonymous', id: anonymousId});
    return {...this.event(random.pick(kioskUsers)), anonymousId};
  }

  private kiosk(): string {
    if (this.random.chance(kioskChance)) this.kiosks.push(`kiosk-${this.kiosks.length}`);
    return this.random.pick(this.kiosks.slice(-3));
  }

  /** An event that joins nobody, and never will. */
  plainEvent(): EventBody {
    return this.event(this.random.pick(users.filter(({kind}) => kind === 'anonymous')));
  }

  /** Everybody who may have events. */
  get people(): readonly UserRef[] {
    const anonymousIds = [...devices.map(({id}) => id), ...this.kiosks];
    return [...users, ...anonymousIds.map((id) => ({kind: 'anonymous' as const, id}))];
  }

  private isDevice({kind, id}: UserRef): boolean {
    return kind === 'anonymous' && (devices.some((device) => device.id === id) || this.kiosks.includes(id));
  }

  /** Events of distinct users at distinct times: they may be sent at once. */
  burst(): EventBody[] {
    return users.map((user) => {
      const timeMs = this.ownTimeMs();
      return {...this.event(user), timestamp: formatTime(timeMs), messageId: `burst-${timeMs}`};
    });
  }

  /** W1 */
  private timestampOf(user: UserRef): string {
    return this.isDevice(user) ? formatTime(this.ownTimeMs()) : this.timestamp();
  }

  private ownTimeMs(): number {
    this.unusedMs += this.random.between(1_009, 900_001);
    return this.unusedMs;
  }

  batch(): EventBody[] {
    const bodies = Array.from({length: this.random.between(1, this.batchEventsMax)}, () =>
      this.random.chance(kioskShare) ? this.eventOfKiosk() : this.event(),
    );
    const again = this.random.pick(bodies);
    if (this.random.chance(0.3)) bodies[0] = {...again, timestamp: this.timestampOf(userOf(again))};
    return bodies;
  }

  invalidEvent(): InvalidEvent {
    const {random} = this;
    const good = this.event();
    return random.pick<InvalidEvent>([
      {body: {...good, event: ''}, field: 'event'},
      {body: {...good, event: 'tab\there'}, field: 'event'},
      {body: {...good, userId: '..'}, field: 'userId'},
      {body: {...good, userId: 7}, field: 'userId'},
      {body: {...good, properties: []}, field: 'properties'},
      {body: {...good, timestamp: '2023-02-29'}, field: 'timestamp'},
      {body: {...good, timestamp: '1969-12-31T23:59:59.999Z'}, field: 'timestamp'},
      {body: {...good, messageId: 'm'.repeat(129)}, field: 'messageId'},
    ]);
  }

  /** Some come late, some of a clock ahead, and some were sent before. */
  identify(): IdentifyBody {
    const {random} = this;
    const traits = this.traitsOfSome();
    return {
      ...traits,
      ...(random.chance(0.3) ? this.deviceOf(traits.userId) : {}),
      ...(random.chance(0.3) ? {messageId: `m${random.between(0, 30)}`} : {}),
      ...(random.chance(0.4) ? {timestamp: this.identifyTime()} : {}),
    };
  }

  private identifyTime(): string {
    const {random} = this;
    if (random.chance(0.3)) return new Date(Date.now() + random.between(1, 20) * 3_600_000).toISOString();
    return `2024-0${random.between(1, 9)}-0${random.between(1, 9)}`;
  }

  private traitsOfSome(): IdentifyBody {
    const {random} = this;
    const fullOnes = {
      wide: wideUser,
      heavy: heavyUser,
      any: random.pick(users.filter((user) => user.kind === 'user')).id,
    };
    const userId = fullOnes[random.weighted({wide: 2, heavy: 1, any: 5})];
    if (userId === wideUser) return {userId, traits: this.freshTraits(random.between(1, 90), 1)};
    if (userId === heavyUser) return {userId, traits: this.freshTraits(random.between(1, 2), 20_000)};
    return {userId, traits: this.properties()};
  }

  /** A few users have most of the events: their funnels are long and their pages many. */
  user(): UserRef {
    return this.random.pick(this.random.chance(0.5) ? users.slice(0, 4) : this.people);
  }

  eventCounts(): EventCountsQuery {
    const {random} = this;
    return {
      event: random.chance(0.05) ? 'never seen' : random.pick(eventNames),
      ...this.zonedRange(),
      ...(random.chance(0.5) ? {filter: this.filter()} : {}),
    };
  }

  activeUsers(): ActiveUsersQuery {
    return {...this.zonedRange(), ...(this.random.chance(0.9) ? {metric: this.random.pick(metrics)} : {})};
  }

  funnel(): FunnelQuery {
    const {random} = this;
    const steps = Array.from({length: random.between(1, random.chance(0.1) ? 12 : 4)}, () => random.pick(eventNames));
    // Often a whole number of steps of the grid, so that events stand exactly on the bound.
    const window = random.pick([
      '1800',
      '1800s',
      '30m',
      '90m',
      '1h',
      '2h',
      '5h',
      '12h',
      '1d',
      '3d',
      '7d',
      '59s',
      '100',
    ]);
    return {steps, ...this.range(60), ...(random.chance(0.6) ? {window} : {})};
  }

  history(): HistoryQuery {
    const {random} = this;
    const who = random.weighted({none: 2, user: 2, anonymous: 1});
    const of = (kind: UserRef['kind']): string => random.pick(this.people.filter((user) => user.kind === kind)).id;
    const range = this.range(20);
    return {
      ...(who === 'user' ? {userId: of('user')} : {}),
      ...(who === 'anonymous' ? {anonymousId: of('anonymous')} : {}),
      ...(random.chance(0.4) ? {event: random.pick(eventNames)} : {}),
      ...(random.chance(0.3) ? {from: range.from} : {}),
      ...(random.chance(0.3) ? {to: range.to} : {}),
    };
  }

  private idsOf(user: UserRef): Pick<EventBody, 'userId' | 'anonymousId'> {
    if (user.kind === 'anonymous') return {anonymousId: user.id, ...(this.random.chance(0.1) ? {userId: null} : {})};
    return {
      userId: user.id,
      ...(this.random.chance(0.3) ? this.deviceOf(user.id) : {}),
    };
  }

  private deviceOf(userId: string): Pick<EventBody, 'anonymousId'> {
    const own = devices.filter(({owner}) => owner === userId);
    return own.length === 0 ? {} : {anonymousId: this.random.pick(own).id};
  }

  /** W1 */
  private messageIdOf({id}: UserRef): string {
    return `${this.random.between(0, 200)} ${id.slice(0, 64)}`;
  }

  private messageId(): string {
    const {random} = this;
    if (this.messageIds.length > 0 && random.chance(0.3)) return random.pick(this.messageIds);
    const fresh = `m${this.messageIds.length}${random.pick(['', '/ü', ' "x"'])}`;
    this.messageIds.push(fresh);
    return fresh;
  }

  /** Often a time that was used before, often on a border or one millisecond beside it, often on a grid of half hours. */
  private timeMs(): number {
    const {random} = this;
    if (this.times.length > 0 && random.chance(0.25)) return random.pick(this.times);
    const [low, high] = random.pick(this.stretches);
    if (random.chance(0.4)) return low + random.between(0, 96) * (hourMs / 2);
    let timeMs = random.between(low, high);
    if (random.chance(0.3)) timeMs -= timeMs % random.pick([hourMs, dayMs]);
    if (random.chance(0.2)) timeMs += random.pick([-1, 1]);
    timeMs = Math.max(timeMs, 0);
    this.times.push(timeMs);
    return timeMs;
  }

  private timestamp(): string {
    return this.written(this.timeMs());
  }

  /** The same instant in one of the forms that docs/api/events.md allows. */
  private written(timeMs: number): string {
    const {random} = this;
    const offsetMinutes = random.chance(0.5) ? 0 : random.pick([60, -60, 330, 345, -210, 840, -720, 1439, -1439]);
    const wallMs = timeMs + offsetMinutes * 60_000;
    if (wallMs < 0) return formatTime(timeMs);
    const wall = formatTime(wallMs);
    const zone =
      offsetMinutes === 0 ? random.pick(['Z', 'z', '', '+00:00', '-0000']) : offsetText(random, offsetMinutes);
    if (offsetMinutes === 0 && wallMs % dayMs === 0 && random.chance(0.3)) return wall.slice(0, 10);
    const clock = wallMs % 60_000 === 0 && random.chance(0.5) ? wall.slice(11, 16) : wall.slice(11, 23);
    const finer = clock.length === 12 && random.chance(0.2) ? '999' : '';
    return `${wall.slice(0, 10)}${random.pick(['T', 'T', 't', ' '])}${clock}${finer}${zone}`;
  }

  private properties(): JsonObject {
    const {random} = this;
    // A literal key and the path that its dots would spell, beside each other.
    const properties: JsonObject = random.chance(0.2) ? {'a.b': this.value(0), a: {b: this.value(0)}} : {};
    for (let left = random.between(0, 5); left > 0; left--) {
      properties[random.pick(['plan', 'n', 'on', 'a', 'a.b', 'deep', '', 'constructor', 'é ☂'])] = this.value(3);
    }
    return properties;
  }

  private value(depth: number): Json {
    const {random} = this;
    const kind = random.weighted({
      text: 4,
      number: 3,
      flag: 1,
      nothing: 1,
      object: depth > 0 ? 2 : 0,
      list: depth > 0 ? 1 : 0,
    });
    if (kind === 'text') {
      return random.pick(['pro', 'pro', 'free', '', '1', 'true', 'null', 'a=b', '☂', '\ud800', 'x'.repeat(300)]);
    }
    if (kind === 'number') return random.pick([0, 1, -1, 1.5, 1e21, 1e-7, 2 ** 63, 0.1 + 0.2]);
    if (kind === 'flag') return random.chance(0.5);
    if (kind === 'nothing') return null;
    if (kind === 'list') return [this.value(depth - 1), this.value(depth - 1)];
    return {b: this.value(depth - 1), [random.pick(['c', 'length', 'b.c'])]: this.value(depth - 1)};
  }

  private filter(): string {
    const name = this.random.pick(propertyPaths);
    return `${name}=${this.random.pick(['pro', 'free', '', '1', '0', 'true', 'null', 'a=b', '1.5', '1e+21', '☂'])}`;
  }

  /** Keys that were never used before, each of about `bytes`. */
  private freshTraits(count: number, bytes: number): JsonObject {
    const fresh = Array.from({length: count}, () => [`trait-${this.traitCount++}`, 't'.repeat(bytes)] as const);
    return Object.fromEntries(fresh);
  }

  /** Whole days of up to a year. */
  months(): {from: string; to: string} {
    const fromMs = this.timeMs();
    const [from, to] = [fromMs, fromMs + this.random.between(1, 360) * dayMs].map((ms) => formatTime(ms).slice(0, 10));
    return {from: from!, to: to!};
  }

  /** In a zone the bounds are dates: the clock may skip a time. */
  private zonedRange(): {from: string; to: string; interval?: Interval; timezone?: string} {
    const {from, to, ...rest} = this.bucketRange();
    if (this.random.chance(0.6)) return {from, to, ...rest};
    const [first, last] = [from, to].map((text) => formatTime(parseTime(text)).slice(0, 10));
    return {from: first!, to: last!, ...rest, timezone: this.random.pick(zones)};
  }

  private bucketRange(): {from: string; to: string; interval?: Interval} {
    const interval = this.random.chance(0.1) ? undefined : this.random.pick(intervals);
    const daysMax = {hour: 6, day: 40, week: 90, month: 400, quarter: 800, year: 1_500}[interval ?? 'day'];
    return {...this.range(daysMax), ...(interval === undefined ? {} : {interval})};
  }

  private range(daysMax: number): {from: string; to: string} {
    const {random} = this;
    const fromMs = this.timeMs();
    const lastMs = fromMs + daysMax * dayMs;
    const toMs = random.chance(0.3)
      ? Math.min(Math.max(fromMs, this.timeMs()), lastMs)
      : random.between(fromMs, lastMs);
    if (random.chance(0.5)) return {from: formatTime(fromMs).slice(0, 10), to: formatTime(toMs).slice(0, 10)};
    return {from: this.written(fromMs), to: this.written(toMs)};
  }
}

function offsetText(random: Random, minutes: number): string {
  const hour = String(Math.floor(Math.abs(minutes) / 60)).padStart(2, '0');
  const minute = String(Math.abs(minutes) % 60).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${hour}${random.pick([':', ''])}${minute}`;
}
