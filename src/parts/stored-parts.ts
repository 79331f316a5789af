// Parts as the store has them: values joined and checked, nothing cached.
//   SP1. A payload has its own ArrayBuffer, at an address that 8 divides: typed arrays over it are aligned
//       (actors/chunk/rows.ts). Other payloads are copied.
//   SP2. Every value has the length and the checksum that its reference names.

import {crc32} from 'node:zlib';
import type {PartRef} from '../../actors/manifest.js';

/** The store of the values of parts. */
export interface PartValues {
  /** The value at this revision, of the part with this key; undefined when it was swept. */
  read(revision: number, key: string): Promise<Uint8Array | undefined>;
  /** The value, if it can be read without asking the store: only bytes that `isRight`, which may be those of another value. */
  atHand?(revision: number, key: string, isRight: (value: Uint8Array) => boolean): Promise<Uint8Array | undefined>;
}

/** The part was swept: the caller has an old manifest, and starts again on the newest one. */
export class MissingPart extends Error {
  override name = 'MissingPart';
  constructor(readonly ref: PartRef) {
    super(`part ${ref.key} at revisions ${ref.revisions.join(',')} is not in the store`);
  }
}

/** The stored bytes are not those that were written. */
export class DamagedPart extends Error {
  override name = 'DamagedPart';
  constructor(
    readonly ref: PartRef,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`part ${ref.key} at revisions ${ref.revisions.join(',')} is damaged: ${reason}`, options);
  }
}

/** Reads reject with MissingPart or DamagedPart. */
export class StoredParts {
  private readonly values: PartValues;

  constructor(values: PartValues) {
    this.values = values;
  }

  /** The payload, placed as SP1 says. */
  async read(ref: PartRef): Promise<Uint8Array<ArrayBuffer>> {
    const values = await this.checkedValues(ref);
    return values.length === 1 ? placed(values[0]) : joined(ref, values);
  }

  /** A payload that the caller copies from: its bytes may begin anywhere (not SP1). */
  async readLoose(ref: PartRef): Promise<Uint8Array> {
    const values = await this.checkedValues(ref);
    if (values.length > 1) return joined(ref, values);
    // Not a Buffer, whose slices are not copies.
    const {buffer, byteOffset, length} = values[0];
    return new Uint8Array(buffer, byteOffset, length);
  }

  /** One value of the payload, placed as SP1 says. */
  async readValue(ref: PartRef, i: number): Promise<Uint8Array<ArrayBuffer>> {
    if (i >= ref.revisions.length) throw new DamagedPart(ref, `it has no value ${i}`);
    return placed(await this.checkedValue(ref, i));
  }

  private checkedValues(ref: PartRef): Promise<Uint8Array[]> {
    return Promise.all(ref.revisions.map((_, i) => this.checkedValue(ref, i)));
  }

  /** @throws MissingPart, DamagedPart. SP2 */
  private async checkedValue(ref: PartRef, i: number): Promise<Uint8Array> {
    const revision = ref.revisions[i];
    const atHand = await this.values.atHand?.(revision, ref.key, (bytes) => faultOf(ref, i, bytes) === undefined);
    if (atHand !== undefined) return atHand;
    const value = await this.values.read(revision, ref.key);
    if (value === undefined) throw new MissingPart(ref);
    const fault = faultOf(ref, i, value);
    if (fault !== undefined) throw new DamagedPart(ref, fault);
    return value;
  }
}

/** What of a value is not as it was written; undefined: nothing. SP2 */
function faultOf(ref: PartRef, i: number, value: Uint8Array): string | undefined {
  const expected = Math.min(ref.valueBytes, ref.bytes - i * ref.valueBytes);
  if (value.length !== expected) return `value ${i} has ${value.length} of ${expected} bytes`;
  return crc32(value) === ref.crcs[i] ? undefined : `the checksum of value ${i} differs`;
}

/** A value's buffer may also have the protocol line and headers of its message, an eighth of it at most. SP1 */
const besideBytesMax = 1_024;
const besideShare = 1 / 8;

/** The value, or a copy in its own buffer. SP1 */
function placed(value: Uint8Array): Uint8Array<ArrayBuffer> {
  const {buffer, byteOffset, length} = value;
  const isAlone = buffer.byteLength - length <= Math.min(besideBytesMax, length * besideShare);
  const isPlaced = buffer instanceof ArrayBuffer && byteOffset % 8 === 0 && isAlone;
  // Not a Buffer, whose slices are not copies.
  return isPlaced ? new Uint8Array(buffer, byteOffset, length) : new Uint8Array(value);
}

/** The values one after the other in one buffer. SP1 */
function joined(ref: PartRef, values: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const payload = new Uint8Array(ref.bytes);
  for (const [i, value] of values.entries()) payload.set(value, i * ref.valueBytes);
  return payload;
}
