// Keys that the configuration fixes, and whether they are valid.
//   F1. A start with a fixed key that was revoked is not ready: clients that use the key of the configuration would get 401.
//   F2. A fixed key that is revoked while the service runs is a warning: other keys still work. After the operator changes the
//       key, edges restart with the new one, one after the other, and until then the others must continue.
import {type KeyKind, keyKinds} from './key.js';
import type {KeyRing} from './key-ring.js';
import type {Bootstrap} from './store.js';

const variableOf: Readonly<Record<KeyKind, string>> = {
  write: 'BOOTSTRAP_WRITE_KEY',
  read: 'BOOTSTRAP_READ_KEY',
  secret: 'BOOTSTRAP_SECRET_KEY',
};

interface FixedKey {
  readonly variable: string;
  readonly id: string;
  readonly wasRevoked: boolean;
}

export class FixedKeys {
  private readonly keys: readonly FixedKey[];

  /** Called after `KeyStore.fixAll` with the same keys. */
  constructor(
    private readonly ring: KeyRing,
    fixed: Bootstrap,
  ) {
    this.keys = keyKinds.flatMap((kind) => {
      const key = fixed[kind];
      const record = key === undefined ? undefined : ring.recordOf(key);
      return record === undefined
        ? []
        : [{variable: variableOf[kind], id: record.id, wasRevoked: record.revokedMs !== null}];
    });
  }

  /** Why this start is not ready. F1 */
  reasons(): string[] {
    return this.sentences(true);
  }

  /** Fixed keys that were revoked since the start. F2 */
  warnings(): string[] {
    return this.sentences(false);
  }

  private sentences(wasRevoked: boolean): string[] {
    return this.keys.flatMap((key) => {
      const revokedMs = this.ring.get(key.id)?.revokedMs ?? null;
      if (key.wasRevoked !== wasRevoked || revokedMs === null) return [];
      const since = new Date(revokedMs).toISOString();
      return [`${key.variable} is a key that was revoked at ${since}: set a new key, or unset it`];
    });
  }
}
