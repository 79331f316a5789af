// Rate limits by client address: for keys (docs/api/keys.md) and for signing in.
//   Owns: the usage of each address. Does not own: the arithmetic (rate-limit.ts), which address a client has
//         (client-address.ts).
//   AL1. The table is bounded: it drops the address that has not asked for longest, which then has a whole quota again. The
//        limit of the key still bounds a client with that many addresses.
//   AL2. A client with an IPv6 address usually has its whole /64: all of its addresses count as one.
import type {Failure} from '../failure.js';
import type {AddressCharge} from '../http/caller.js';
import {burstSeconds, RateLimit} from '../http/rate-limit.js';

const addressesMax = 100_000;

/** The limit that a key's options set. */
export const eventsPerAddress = (perSecond: number): RateLimit<'events-per-address'> =>
  new RateLimit('events-per-address', perSecond * burstSeconds, burstSeconds);

export class AddressLimits<Name extends string> {
  /** Usage by owner and address; the least recent first. */
  private readonly usages = new Map<string, Record<Name, number>>();

  constructor(private readonly countMax = addressesMax) {}

  /** Charges one unit. `owner`: id of the key. @returns why the request must wait, or a function that charges its address further. */
  admit(limit: RateLimit<Name>, owner: string, address: string, nowMs: number): Failure | AddressCharge {
    const usage = this.usageOf(limit, `${owner} ${blockOf(address)}`);
    return limit.admit(usage, nowMs) ?? ((units) => limit.charge(usage, units));
  }

  /** The usage of an address, which is now the newest one. AL1 */
  private usageOf(limit: RateLimit<Name>, name: string): Record<Name, number> {
    const usage = this.usages.get(name) ?? limit.unused();
    this.usages.delete(name);
    this.usages.set(name, usage);
    if (this.usages.size > this.countMax) this.usages.delete(this.usages.keys().next().value!);
    return usage;
  }
}

/** The address itself, or the /64 of an IPv6 one. AL2. `address` has the form of RFC 5952. */
export function blockOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = [], tail] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = tail === undefined ? [] : Array<string>(Math.max(8 - head.length - tail.length, 0)).fill('0');
  return `${[...head, ...zeros, ...(tail ?? [])].slice(0, 4).join(':')}::/64`;
}
