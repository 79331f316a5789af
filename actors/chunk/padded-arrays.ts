// Arrays of numbers in the bytes of a part, one after the other: little-endian, each padded to 4 bytes, viewed in place.

export type NumberArray = Float64Array | Uint32Array | Uint16Array | Uint8Array;

const padded = (bytes: number): number => (bytes + 3) & ~3;

export function paddedBytes(arrays: readonly NumberArray[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(arrays.reduce((sum, {byteLength}) => sum + padded(byteLength), 0));
  let at = 0;
  for (const {buffer, byteOffset, byteLength} of arrays) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += padded(byteLength);
  }
  return bytes;
}

/** Views the arrays in the order in which they were written. */
export class PaddedArrays {
  private readonly bytes: Uint8Array;
  private at: number;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.at = bytes.byteOffset;
  }

  /** Whether the bytes contain every array that was viewed. */
  get areWithin(): boolean {
    return this.at <= this.bytes.byteOffset + this.bytes.length;
  }

  /** Number of bytes that were viewed. */
  get position(): number {
    return this.at - this.bytes.byteOffset;
  }

  u8(count: number): Uint8Array {
    return new Uint8Array(this.bytes.buffer, this.take(count), count);
  }

  u16(count: number): Uint16Array {
    return new Uint16Array(this.bytes.buffer, this.take(count * 2), count);
  }

  u32(count: number): Uint32Array {
    return new Uint32Array(this.bytes.buffer, this.take(count * 4), count);
  }

  f64(count: number): Float64Array {
    return new Float64Array(this.bytes.buffer, this.take(count * 8), count);
  }

  private take(length: number): number {
    const start = this.at;
    this.at += padded(length);
    return start;
  }
}
