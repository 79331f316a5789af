// API keys: their form, and their records.
//   K1. A key is shown once, when it is created. Only its SHA-256 is stored: 256 random bits need no salt and no slow hash.
import {createHash, randomBytes} from 'node:crypto';
import type {DashboardRole} from './dashboard-role.js';

/**
 * `write` may track events and identify; `read` may read reports, events and users; `secret` may do everything except manage
 * keys (docs/api/keys.md).
 */
export const keyKinds = ['write', 'read', 'secret'] as const;
export type KeyKind = (typeof keyKinds)[number];

/** Kinds of API keys, and `person`: an access token with which a person signs in to the dashboard, and which opens nothing else. */
export type RecordKind = KeyKind | 'person';

export const keyPrefix: Readonly<Record<RecordKind, string>> = {
  write: 'sk_write_',
  read: 'sk_read_',
  secret: 'sk_live_',
  person: 'mr_',
};

/** Permissions of an access token. */
export interface PersonAccess {
  readonly role: DashboardRole;
  /** The person sees people by their ids alone. */
  readonly hidesTraits?: true;
  /** Epoch ms of its expiry; null: never. */
  readonly untilMs: number | null;
}

/** Limits of a write key that may be public, beyond its kind. Undefined: no limit. */
export interface KeyOptions {
  readonly mayIdentify: boolean;
  /** Origins whose pages may use it, each in the form of the `Origin` header. */
  readonly origins?: readonly string[] | undefined;
  /** Events per second of each client address. */
  readonly eventsPerSecondPerAddress?: number | undefined;
  /** Whether its events may only have names that exist. */
  readonly mustUseKnownNames?: boolean | undefined;
  /** Whether its requests come from pages (src/edge/web). Undefined: if it has origins. */
  readonly isWeb?: boolean | undefined;
}

/** One key as the bucket has it. Times are epoch ms. */
export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly kind: RecordKind;
  /** SHA-256 of the key, hex. */
  readonly hash: string;
  readonly last4: string;
  readonly createdMs: number;
  readonly lastUsedMs: number | null;
  readonly revokedMs: number | null;
  /** The configuration fixed it: another fixed key of its kind replaces it. */
  readonly isFixed: boolean;
  /** Undefined for most keys: no limits. */
  readonly options?: KeyOptions | undefined;
  /** Set for a person's token alone. */
  readonly access?: PersonAccess | undefined;
}

export type ApiKeyRecord = KeyRecord & {readonly kind: KeyKind};
export const isOfApiKey = (record: KeyRecord): record is ApiKeyRecord => record.kind !== 'person';

const randomBits = 256;
// 43 digits of base 62 hold 256 bits.
const digitCount = 43;
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function generateKey(kind: RecordKind): string {
  return keyPrefix[kind] + base62(randomBytes(randomBits / 8));
}

export function newKeyId(): string {
  return `key_${randomBytes(9).toString('hex')}`;
}

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

export function recordOf(key: string, kind: RecordKind, id: string, name: string, createdMs: number): KeyRecord {
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
