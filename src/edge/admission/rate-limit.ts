// Rate limits of a key (docs/api.md, Errors): the generic cell rate algorithm, one number for each key and limit.
//   Owns: the arithmetic and the header fields. Does not own: the clock, the numbers (they live in the key:
//         src/keys/key-ring.ts R2; those of its addresses in address-limits.ts).
//   L1. A request comes in while there is room for one unit, and one is charged at once: what it costs beyond that is
//       charged when it is known, and may take the balance below zero, so that no batch is half admitted.
//   L2. A refused request is charged nothing: who keeps asking is let in as soon as who waits.
import type {RateUsage} from '../../keys/key-ring.js';
import type {Failure, Header} from '../failure.js';

export type LimitName = keyof RateUsage;

/** 0 switches a limit off. */
export interface RateOptions {
  readonly eventsPerSecond: number;
  readonly readsPerMinute: number;
  readonly deletesPerSecond: number;
}

/** Undefined: off. */
export type RateLimits = Readonly<Record<LimitName, RateLimit | undefined>>;

// Two seconds' worth of events and deletions may come at once; of reads a minute's, for a page of many reports.
export const burstSeconds = 2;

export function rateLimits({eventsPerSecond, readsPerMinute, deletesPerSecond}: RateOptions): RateLimits {
  const limit = (name: LimitName, units: number, windowSeconds: number): RateLimit | undefined =>
    units === 0 ? undefined : new RateLimit(name, units, windowSeconds);
  return {
    events: limit('events', eventsPerSecond * burstSeconds, burstSeconds),
    reads: limit('reads', readsPerMinute, 60),
    deletions: limit('deletions', deletesPerSecond * burstSeconds, burstSeconds),
  };
}

export class RateLimit<Name extends string = LimitName> {
  private readonly name: Name;
  /** Ms until a used unit is there again. */
  private readonly unitMs: number;
  /** Ms until a used up quota is whole again. */
  private readonly windowMs: number;
  private readonly policy: Header;

  /** `units` may come at once, and come back evenly over the window. */
  constructor(name: Name, units: number, windowSeconds: number) {
    this.name = name;
    this.windowMs = windowSeconds * 1_000;
    this.unitMs = this.windowMs / units;
    this.policy = ['RateLimit-Policy', `"${name}";q=${units};w=${windowSeconds}`];
  }

  unused(): Record<Name, number> {
    return {[this.name]: 0} as Record<Name, number>;
  }

  /** @returns why the request must wait; undefined: it may come in and has been charged one unit (L1). */
  admit(usage: Record<Name, number>, nowMs: number): Failure | undefined {
    const arrivalMs = Math.max(usage[this.name], nowMs);
    if (arrivalMs - nowMs > this.windowMs - this.unitMs) return this.refusal(arrivalMs - nowMs);
    usage[this.name] = arrivalMs + this.unitMs;
    return undefined;
  }

  /** What a request that came in costs beyond its first unit. */
  charge(usage: Record<Name, number>, units: number): void {
    usage[this.name] += units * this.unitMs;
  }

  /** More than half of the quota is used: time to tell the client. */
  isRunningLow(usage: Record<Name, number>, nowMs: number): boolean {
    return usage[this.name] - nowMs > this.windowMs / 2;
  }

  /** The fields of draft-ietf-httpapi-ratelimit-headers-11: what is left, and in how many seconds the quota is whole. */
  fields(usage: Record<Name, number>, nowMs: number): Header[] {
    const usedMs = Math.max(usage[this.name] - nowMs, 0);
    const left = Math.max(Math.floor((this.windowMs - usedMs) / this.unitMs), 0);
    return this.fieldsOf(left, wholeSeconds(usedMs));
  }

  /** L2 */
  private refusal(usedMs: number): Failure {
    const seconds = wholeSeconds(usedMs - (this.windowMs - this.unitMs));
    const message = `this key exceeded its limit of ${this.name}: try again in ${seconds} s`;
    const headers: Header[] = [['Retry-After', String(seconds)], ...this.fieldsOf(0, seconds)];
    return {code: 'rate_limited', message, headers};
  }

  private fieldsOf(left: number, seconds: number): Header[] {
    return [['RateLimit', `"${this.name}";r=${left};t=${seconds}`], this.policy];
  }
}

/** At least 1: a client that was told 0 would ask again at once. */
const wholeSeconds = (ms: number): number => Math.max(Math.ceil(ms / 1_000), 1);
