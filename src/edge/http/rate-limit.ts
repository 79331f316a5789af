// Rate limits of a key (docs/api/limits.md): the generic cell rate algorithm, one number for each key and limit.
//   Owns: the arithmetic and the header fields. Does not own: the clock, the numbers (the key holds them:
//         src/keys/key-ring.ts R2; those of its addresses: admission/address-limits.ts), what other edges admit (admission/fellow-edges.ts).
//   L1. A request is admitted while there is room for one unit, which is charged at once. Its further units are charged when
//       they are known and may take the balance below zero, so that no batch is half admitted.
//   L2. A refused request is charged nothing: a client that keeps asking is admitted as soon as one that waits.
import type {RateUsage} from '../../keys/key-ring.js';
import type {Failure, Header} from '../failure.js';

export type LimitName = keyof RateUsage;

/** 0 switches a limit off. */
export interface RateOptions {
  readonly eventsPerSecond: number;
  readonly readsPerMinute: number;
  readonly deletesPerSecond: number;
}

/** A limit that is undefined is off. */
export type RateLimits = Readonly<Record<LimitName, RateLimit | undefined>>;

// Events and deletions for two seconds may come at once; reads for a minute, as a page may have many reports.
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

/** Error that sums of fractions of milliseconds may have: a quota that comes at one moment is admitted whole. */
const roundingMs = 1e-6;

export class RateLimit<Name extends string = LimitName> {
  readonly name: Name;
  /** Ms until a used unit is available again. */
  private readonly unitMs: number;
  /** Ms until a used-up quota is whole again. */
  private readonly windowMs: number;
  private readonly policy: Header;

  /** `units` may come at once, and are refilled evenly over the window. */
  constructor(name: Name, units: number, windowSeconds: number) {
    this.name = name;
    this.windowMs = windowSeconds * 1_000;
    this.unitMs = this.windowMs / units;
    this.policy = ['RateLimit-Policy', `"${name}";q=${units};w=${windowSeconds}`];
  }

  unused(): Record<Name, number> {
    return {[this.name]: 0} as Record<Name, number>;
  }

  /** @returns the refusal, or undefined: the request is admitted and charged one unit. L1 */
  admit(usage: Record<Name, number>, nowMs: number): Failure | undefined {
    const arrivalMs = Math.max(usage[this.name], nowMs);
    if (arrivalMs - nowMs > this.windowMs - this.unitMs + roundingMs) return this.refusal(arrivalMs - nowMs);
    usage[this.name] = arrivalMs + this.unitMs;
    return undefined;
  }

  /** Charges the units of an admitted request after its first. */
  charge(usage: Record<Name, number>, units: number): void {
    usage[this.name] += units * this.unitMs;
  }

  /** Charges units that another edge admitted (admission/fellow-edges.ts). */
  chargeElsewhere(usage: Record<Name, number>, units: number, nowMs: number): void {
    usage[this.name] = Math.max(usage[this.name], nowMs) + units * this.unitMs;
  }

  /** Whether more than half of the quota is used: the answer tells the client. */
  isRunningLow(usage: Record<Name, number>, nowMs: number): boolean {
    return usage[this.name] - nowMs > this.windowMs / 2;
  }

  /** The fields of draft-ietf-httpapi-ratelimit-headers-11: units left, and seconds until the quota is whole. */
  fields(usage: Record<Name, number>, nowMs: number): Header[] {
    const usedMs = Math.max(usage[this.name] - nowMs, 0);
    const left = Math.max(Math.floor((this.windowMs - usedMs) / this.unitMs), 0);
    return this.fieldsOf(left, wholeSeconds(usedMs));
  }

  /** The refusal says when a unit is available. L2 */
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

/** Seconds of `Retry-After`, at least 1: after a 0 the client would ask again at once. */
const wholeSeconds = (ms: number): number => Math.max(Math.ceil(ms / 1_000), 1);
