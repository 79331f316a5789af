// API keys: what they look like, and what is kept of them.
//   K1. A key is shown once, when it is created. Only its SHA-256 is kept: 256 random bits need no salt and no slow hash.
import {createHash, randomBytes} from 'node:crypto';

/** `write` may track events and identify; `secret` may do everything but manage keys (README.md, The API). */
export type KeyKind = 'write' | 'secret';

export const keyPrefix: Readonly<Record<KeyKind, string>> = {write: 'sk_write_', secret: 'sk_live_'};

/** Limits of a write key that anybody may have, beyond its kind. Undefined: no limit. */
export interface KeyOptions {
  readonly mayIdentify: boolean;
  /** Origins whose pages may use it, each as browsers send it in `Origin`. */
  readonly origins?: readonly string[] | undefined;
  /** Events per second of each client address. */
  readonly eventsPerSecondPerAddress?: number | undefined;
}

/** One key as it is stored. Times are epoch ms. */
export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly kind: KeyKind;
  /** SHA-256 of the key, hex. */
  readonly hash: string;
  readonly last4: string;
  readonly createdMs: number;
  readonly lastUsedMs: number | null;
  readonly revokedMs: number | null;
  /** The operator fixed it by configuration: another fixed key of its kind takes its place. */
  readonly isFixed: boolean;
  /** Undefined for most keys: nothing is limited. */
  readonly options?: KeyOptions | undefined;
}

const randomBits = 256;
// 43 digits of base 62 hold 256 bits.
const digitCount = 43;
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function generateKey(kind: KeyKind): string {
  return keyPrefix[kind] + base62(randomBytes(randomBits / 8));
}

export function newKeyId(): string {
  return `key_${randomBytes(9).toString('hex')}`;
}

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

export function recordOf(key: string, kind: KeyKind, id: string, name: string, createdMs: number): KeyRecord {
  const hash = hashKey(key);
  return {id, name, kind, hash, last4: key.slice(-4), createdMs, lastUsedMs: null, revokedMs: null, isFixed: false};
}

function base62(bytes: Uint8Array): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (let i = 0; i < digitCount; i++) {
    text = digits[Number(value % 62n)] + text;
    value /= 62n;
  }
  return text;
}
