// The keyed hash that identifies a user where no id may be stored: in records of deletions and of changes.
import {hashBytes} from '../bytes/hash.js';

/** 'user': hashes of users differ from all others that the same seeds key. */
const domain = 0x75736572;

/** Hash of the key in `bytes` from `start` to `end`, hex. `seeds`: the deployment's secret. */
export function userHashOf(
  seeds: readonly [number, number, number],
  bytes: Uint8Array,
  start: number,
  end: number,
): string {
  return seeds
    .map((seed) =>
      hashBytes(bytes, start, end, seed ^ domain)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('');
}
