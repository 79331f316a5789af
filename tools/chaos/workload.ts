// Random requests. A round has its own day, so that its events can be read and counted apart from other rounds; the next day
// stays empty, so that trailing windows of two rounds do not meet.

import {dayMs, formatTime} from '../model/calendar.js';
import type {EventBody, JsonObject, UserRef} from '../model/model.js';
import type {Random} from '../random.js';
import type {EventThing, Journal, Thing} from './journal.js';

export const eventNames = ['view', 'search', 'cart', 'buy', 'leave'] as const;
/** Name of events without a timestamp, which are not on their round's day. Each round has its own, to ask for them. */
export const untimedNameOf = (round: number): string => `untimed-${round}`;
export const isTimedName = (name: string): boolean => eventNames.some((timed) => timed === name);

const firstDayMs = Date.UTC(2001, 0, 1);
export const dayOfRound = (round: number): number => firstDayMs + 2 * round * dayMs;
export const dateOfRound = (round: number): string => formatTime(dayOfRound(round)).slice(0, 10);

const untimedShare = 0.03;
const unnamedShare = 0.1;
const texts = ['', 'a', 'naïve café', '日本語', '😀 "quoted" \\ back', 'line\nbreak', 'x'.repeat(300), '<&>\u2028'];

export class Workload {
  constructor(
    private readonly journal: Journal,
    readonly round: number,
    readonly random: Random,
    /** A client that has sent so many slows down. */
    readonly thingsMax: number,
  ) {}

  /** `anonymousId`: of a device of the user. */
  event(user: UserRef, anonymousId?: string): EventThing {
    const {random} = this;
    const n = this.journal.nextThing();
    const isTimed = !random.chance(untimedShare);
    return this.known({
      n,
      kind: 'event',
      round: this.round,
      isValid: true,
      body: {
        event: isTimed ? random.pick(eventNames) : untimedNameOf(this.round),
        ...idOf(user),
        ...(anonymousId === undefined ? {} : {anonymousId}),
        ...(isTimed ? {timestamp: formatTime(dayOfRound(this.round) + random.between(0, dayMs - 1))} : {}),
        properties: this.properties(n),
        ...(random.chance(unnamedShare) ? {} : {messageId: `message-${n}`}),
      },
    });
  }

  /** An event with a message id, which may be sent again. */
  identifiedEvent(user: UserRef): EventThing {
    const {body, ...rest} = this.event(user);
    return this.known({...rest, body: {...body, messageId: `message-${rest.n}`}});
  }

  /** An event with a message id and a given name, on the round's day. */
  namedEvent(user: UserRef, event: string): EventThing {
    const {body, ...rest} = this.identifiedEvent(user);
    return this.known({...rest, body: {...body, event, timestamp: formatTime(dayOfRound(this.round))}});
  }

  /** An event with the marker wherever a client can put one. */
  markedEvent(user: UserRef, marker: string): EventThing {
    const {body, ...rest} = this.namedEvent(user, `name ${marker}`);
    const properties = {
      n: rest.n,
      [`key ${marker}`]: 1,
      text: `value ${marker}`,
      nested: {deep: [marker]},
      long: `${marker} `.repeat(10),
    };
    return this.known({...rest, body: {...body, properties, messageId: `id ${marker} ${rest.n}`}});
  }

  private properties(n: number): JsonObject {
    const {random} = this;
    const properties: JsonObject = {n};
    if (random.chance(0.6)) properties.flag = random.chance(0.5);
    if (random.chance(0.4)) properties.text = random.pick(texts);
    if (random.chance(0.3)) properties.amount = random.between(-1_000_000, 1_000_000) / 128;
    if (random.chance(0.2)) properties.nested = {list: [1, null, 'two', [true]], deep: {text: random.pick(texts)}};
    return properties;
  }

  /** An event with one invalid field. */
  invalidEvent(user: UserRef): EventThing {
    const {body, ...rest} = this.event(user);
    const broken: Partial<Record<keyof EventBody, unknown>> = this.random.pick([
      {event: ''},
      {timestamp: '2001-02-30'},
      {timestamp: '2199-01-01T00:00:00Z'},
      {messageId: ''},
      {properties: [1]},
      {userId: 'a\u0000b'},
    ]);
    return this.known({...rest, isValid: false, body: {...body, ...broken} as EventBody});
  }

  /** Each identify sets its own trait, and one that they all share. */
  identify(userId: string, more: JsonObject = {}): Thing {
    const n = this.journal.nextThing();
    return this.known({n, kind: 'identify', round: this.round, userId, traits: {...more, [`t${n}`]: n, latest: n}});
  }

  deletion(userId: string): Thing {
    return this.known({n: this.journal.nextThing(), kind: 'deletion', round: this.round, userId});
  }

  private known<T extends Thing>(thing: T): T {
    this.journal.write({line: 'thing', thing});
    return thing;
  }
}

const idOf = ({kind, id}: UserRef): {userId: string} | {anonymousId: string} =>
  kind === 'user' ? {userId: id} : {anonymousId: id};
