// The slow, obvious model of the service: a list of accepted events, and plain loops over it.
//   Owns: the stored events, traits and deletions after each request, in the order of arrival.
//   Does not own: checks of requests (callers pass valid ones), clocks, who is whose (persons.ts), reports (in their own files).
//   An event joins its person at once here, and some seconds later in the service. Until then the order of what has equal times or
//   message ids is the service's: callers give events that may be joined times and message ids of their own, or wait.

import {parseTime} from './calendar.js';
import {Persons} from './persons.js';

export type Json = null | boolean | number | string | Json[] | {[key: string]: Json};
export type JsonObject = {[key: string]: Json};

/** Two name spaces: an event with both ids belongs to the userId (docs/api/events.md). */
export interface UserRef {
  readonly kind: 'user' | 'anonymous';
  readonly id: string;
}

export interface EventBody {
  readonly event: string;
  readonly userId?: string | null;
  readonly anonymousId?: string | null;
  readonly properties?: JsonObject | null;
  readonly timestamp?: string | null;
  readonly messageId?: string | null;
}

/** When the service may have received a request: between its sending and its answer. Equal bounds are an exact time. */
export interface Received {
  readonly earliestMs: number;
  readonly latestMs: number;
}

export const receivedAt = (timeMs: number): Received => ({earliestMs: timeMs, latestMs: timeMs});

export interface StoredEvent {
  /** Number in the order of arrival over all users. */
  readonly arrival: number;
  readonly user: UserRef;
  /** It came with the anonymousId alone. */
  readonly isJoined: boolean;
  readonly name: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly properties: JsonObject;
  readonly messageId: string | undefined;
  /** It came with a secret key. */
  readonly isSecret: boolean;
  readonly timeMs: number;
  readonly received: Received;
}

export interface IdentifyBody {
  readonly userId: string;
  readonly anonymousId?: string | null;
  readonly traits: JsonObject;
  readonly messageId?: string | null;
  readonly timestamp?: string | null;
}

/** Key of a request. `apart`: a write key that may not identify. Message ids of secret keys are a scope of their own. */
export type SentWith = 'write' | 'secret' | 'apart';

export interface Profile {
  readonly traits: Map<string, Json>;
  /** Traits that a secret key set last. */
  readonly ofSecret: Set<string>;
  /** When each trait was set. */
  readonly setAt: Map<string, Received>;
  traitsOverLimit: number;
  readonly identified: Received[];
}

export const traitsMax = 256;
export const traitsBytesMax = 64 * 1024;

export const userKeyOf = (user: UserRef): string => `${user.kind}:${user.id}`;

export function userOf(body: EventBody): UserRef {
  if (body.userId != null) return {kind: 'user', id: body.userId};
  if (body.anonymousId != null) return {kind: 'anonymous', id: body.anonymousId};
  throw new Error('an event names a user');
}

export class Model {
  /** In the order of arrival. */
  events: StoredEvent[] = [];
  readonly profiles = new Map<string, Profile>();
  /** Partition of a user, learned from the service; it only decides the order of equal milliseconds. */
  readonly partitions = new Map<string, number>();
  readonly persons = new Persons();
  /**
   * Users with events that may not have joined them in the service yet, and how many further ones are copies of events that these
   * users have. The caller clears it once all have joined.
   */
  readonly joining = new Map<string, number>();
  private readonly messageIds = new Set<string>();
  /** From when on events are kept, epoch ms. */
  private keptFromMs = Number.NEGATIVE_INFINITY;
  /** Times of expired events by user: a profile keeps its own. */
  private readonly expiredTimes = new Map<string, number[]>();
  private arrivals = 0;

  /** `joins`: as with IDENTITY_JOIN=on. */
  constructor(private readonly joins = false) {}

  event(body: EventBody, received: Received, key: SentWith = 'write'): void {
    if (body.userId != null && body.anonymousId != null && key !== 'apart') this.link(body.anonymousId, body.userId);
    const user = userOf(body);
    const isSecret = key === 'secret';
    if (body.messageId != null && !this.firstCopy(user, body.messageId, isSecret)) return;
    this.store({
      arrival: this.arrivals++,
      user,
      isJoined: false,
      name: body.event,
      userId: body.userId ?? null,
      anonymousId: body.anonymousId ?? null,
      properties: body.properties ?? {},
      messageId: body.messageId ?? undefined,
      isSecret,
      timeMs: body.timestamp == null ? exactly(received) : parseTime(body.timestamp),
      received,
    });
  }

  private store(event: StoredEvent): void {
    if (event.timeMs < this.keptFromMs) return;
    const kept = this.joined(event);
    if (kept !== undefined) this.events.push(kept);
  }

  /** The event as its person has it; undefined: the person has it already. */
  private joined(event: StoredEvent): StoredEvent | undefined {
    const owner = event.user.kind === 'anonymous' ? this.persons.ownerOf(event.user.id) : undefined;
    if (owner === undefined) return event;
    const user: UserRef = {kind: 'user', id: owner};
    const isCopy = event.messageId !== undefined && !this.firstCopy(user, event.messageId, event.isSecret);
    this.joining.set(userKeyOf(user), (this.joining.get(userKeyOf(user)) ?? 0) + (isCopy ? 1 : 0));
    return isCopy ? undefined : {...event, user, userId: owner, isJoined: true};
  }

  /** Events before this time expire. */
  expire(keptFromMs: number): void {
    this.keptFromMs = keptFromMs;
    for (const event of this.events) {
      if (event.timeMs >= keptFromMs) continue;
      const key = userKeyOf(event.user);
      this.expiredTimes.set(key, [...(this.expiredTimes.get(key) ?? []), event.timeMs]);
    }
    this.events = this.events.filter(({timeMs}) => timeMs >= keptFromMs);
  }

  /** Times of a user's events, also of expired ones. */
  timesOf(user: UserRef): readonly number[] {
    return [...(this.expiredTimes.get(userKeyOf(user)) ?? []), ...this.eventsOf(user).map(({timeMs}) => timeMs)];
  }

  private link(anonymousId: string, userId: string): void {
    if (!this.joins || !this.persons.link(anonymousId, userId)) return;
    this.events = this.events.flatMap((event) => this.joined(event) ?? []);
    this.expiredTimes.delete(userKeyOf({kind: 'anonymous', id: anonymousId}));
  }

  batch(bodies: readonly EventBody[], received: Received, key: SentWith = 'write'): void {
    // The joins of a batch are stored before its events.
    for (const {userId, anonymousId} of bodies)
      if (userId != null && anonymousId != null && key !== 'apart') this.link(anonymousId, userId);
    for (const body of bodies) this.event(body, received, key);
  }

  identify(
    {userId, anonymousId, traits, messageId, timestamp}: IdentifyBody,
    received: Received,
    key: 'write' | 'secret' = 'write',
  ): void {
    if (anonymousId != null) this.link(anonymousId, userId);
    const user: UserRef = {kind: 'user', id: userId};
    const isSecret = key === 'secret';
    if (messageId != null && !this.firstCopy(user, messageId, isSecret, 'identify')) return;
    const profile = this.profileOf(user);
    const at = timestamp == null ? received : noLater(parseTime(timestamp), received);
    profile.identified.push(at);
    for (const [name, value] of Object.entries(traits)) {
      const heldMs = profile.setAt.get(name)?.latestMs ?? Number.NEGATIVE_INFINITY;
      if (timestamp != null && heldMs > at.latestMs) continue;
      const inTheWay = isSecret ? leaving(profile, name, value) : [];
      const left = new Map([...profile.traits].filter(([held]) => !inTheWay.includes(held)));
      if (!fits(left, name, value)) {
        profile.traitsOverLimit += 1;
        continue;
      }
      for (const gone of inTheWay) for (const held of [profile.traits, profile.setAt]) held.delete(gone);
      profile.traitsOverLimit += inTheWay.length;
      profile.traits.set(name, value);
      profile.setAt.set(name, at);
      if (isSecret) profile.ofSecret.add(name);
      else profile.ofSecret.delete(name);
    }
  }

  /** @returns the number of deleted events; undefined for an unknown user. Message ids stay known: late retries change nothing. */
  delete(user: UserRef): number | undefined {
    if (!this.knows(user) && !(user.kind === 'user' && this.persons.isLinked(user.id))) return undefined;
    const kept = this.events.filter((event) => userKeyOf(event.user) !== userKeyOf(user));
    const deleted = this.events.length - kept.length;
    this.events = kept;
    this.profiles.delete(userKeyOf(user));
    this.expiredTimes.delete(userKeyOf(user));
    if (user.kind === 'user') this.persons.forget(user.id);
    this.joining.delete(userKeyOf(user));
    return deleted;
  }

  knows(user: UserRef): boolean {
    return this.profiles.has(userKeyOf(user)) || this.timesOf(user).length > 0;
  }

  eventsOf(user: UserRef): StoredEvent[] {
    return this.events.filter((event) => userKeyOf(event.user) === userKeyOf(user));
  }

  /** The one order of history: (timestamp, partition, ordinal). */
  inOrder(events: readonly StoredEvent[]): StoredEvent[] {
    const partition = (event: StoredEvent): number => this.partitions.get(userKeyOf(event.user)) ?? 0;
    return [...events].sort((a, b) => a.timeMs - b.timeMs || partition(a) - partition(b) || a.arrival - b.arrival);
  }

  private firstCopy(
    user: UserRef,
    messageId: string,
    isSecret: boolean,
    scope: 'event' | 'identify' = 'event',
  ): boolean {
    const scoped = JSON.stringify([scope, isSecret, user.kind, user.id, messageId]);
    if (this.messageIds.has(scoped)) return false;
    this.messageIds.add(scoped);
    return true;
  }

  private profileOf(user: UserRef): Profile {
    const known = this.profiles.get(userKeyOf(user));
    if (known !== undefined) return known;
    const fresh: Profile = {
      traits: new Map(),
      ofSecret: new Set(),
      setAt: new Map(),
      traitsOverLimit: 0,
      identified: [],
    };
    this.profiles.set(userKeyOf(user), fresh);
    return fresh;
  }
}

/** Traits of public keys that make room for one of a secret key: the newest names first, and no more than needed. */
function leaving({traits, ofSecret}: Profile, name: string, value: Json): string[] {
  const left = new Map(traits);
  const gone: string[] = [];
  for (const held of [...traits.keys()].reverse()) {
    if (fits(left, name, value)) break;
    if (ofSecret.has(held) || held === name) continue;
    left.delete(held);
    gone.push(held);
  }
  return gone;
}

function fits(traits: ReadonlyMap<string, Json>, key: string, value: Json): boolean {
  const merged = new Map(traits).set(key, value);
  return merged.size <= traitsMax && Buffer.byteLength(JSON.stringify(Object.fromEntries(merged))) <= traitsBytesMax;
}

/** The time that a client sent, or the receipt's if that is earlier. Clients send no time between the two bounds. */
const noLater = (sentMs: number, received: Received): Received =>
  sentMs <= received.earliestMs ? receivedAt(sentMs) : received;

function exactly(received: Received): number {
  if (received.earliestMs !== received.latestMs) throw new Error('an event without a timestamp needs an exact time');
  return received.earliestMs;
}
