// Who sent a request: the key or the session that admitted it, and what the request costs of their limits.
import type {ActiveKey} from '../../keys/key-ring.js';
import type {Session} from '../../keys/session.js';
import type {Failure, Header} from '../failure.js';
import type {RateLimit} from './rate-limit.js';

/** Charges the admitted address; negative units are refunded. */
export type AddressCharge = (units: number) => void;

/** Decompressed bytes that cost as much as an event: more than most events have, so that a batch usually costs its events. */
const bytesPerUnit = 4 * 1024;

export class Caller {
  /** The key that admitted the request, on routes that take keys. */
  key: ActiveKey | undefined;
  /** The person who is signed in, on routes of the dashboard that need a session. */
  session: Session | undefined;
  /** Charges the client's address, where the key has a limit per address. */
  chargeAddress: AddressCharge | undefined;
  /** Rate limit of the key, on routes that have one. */
  private limit: RateLimit | undefined;
  /** Units of it that the request has cost so far. */
  private charged = 1;
  /** Monotonic ms. */
  private readonly receivedMs: number;

  constructor(receivedMs: number) {
    this.receivedMs = receivedMs;
  }

  /** Admits the request, which counts as one unit of the limit. @returns the refusal when its key must wait. */
  admit(limit: RateLimit): Failure | undefined {
    const refusal = limit.admit(this.key!.usage, this.receivedMs);
    if (refusal !== undefined) return refusal;
    this.key!.used[limit.name] += 1;
    this.limit = limit;
    return undefined;
  }

  /** Charges what the body cost before it named its key. */
  chargeBodyRead(): void {
    const {charged} = this;
    this.charged = 1;
    this.costs(charged);
  }

  /** The request costs at least `units` of its rate limit, the one of its admission included. */
  costs(units: number): void {
    if (units <= this.charged) return;
    if (this.limit !== undefined) {
      this.limit.charge(this.key!.usage, units - this.charged);
      this.key!.used[this.limit.name] += units - this.charged;
    }
    this.chargeAddress?.(units - this.charged);
    this.charged = units;
  }

  /** Charges a body that was decompressed to `bytes`: reading it costs as much when it is refused. */
  costsBytes(bytes: number): void {
    this.costs(Math.ceil(bytes / bytesPerUnit));
  }

  /** Adds the rate fields once half of the quota is used; before that they would cost the hot path. */
  withRateFields(headers: readonly Header[] | undefined): readonly Header[] | undefined {
    if (this.limit === undefined || !this.limit.isRunningLow(this.key!.usage, this.receivedMs)) return headers;
    return [...(headers ?? []), ...this.limit.fields(this.key!.usage, this.receivedMs)];
  }
}
