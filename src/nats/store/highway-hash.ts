// HighwayHash with 64 bits (github.com/google/highwayhash): the checksum of the records in nats-server's storage blocks.

const mask = 0xffff_ffff_ffff_ffffn;
const low = 0xffff_ffffn;
const packetBytes = 32;
const initialMul0 = [0xdbe6d5d5fe4cce2fn, 0xa4093822299f31d0n, 0x13198a2e03707344n, 0x243f6a8885a308d3n];
const initialMul1 = [0x3bd39e10cb0ef593n, 0xc0acf169b5f18a8cn, 0xbe5466cf34e90c6cn, 0x452821e638d01377n];

type Lanes = [bigint, bigint, bigint, bigint];

const swapped = (lane: bigint): bigint => (lane >> 32n) | ((lane & low) << 32n);

/** Summands of the lower and the higher lane: the bytes of both, interleaved. */
function zipped(high: bigint, lower: bigint): readonly [bigint, bigint] {
  const toLower =
    (((lower & 0xff000000n) | (high & 0xff00000000n)) >> 24n) |
    (((lower & 0xff0000000000n) | (high & 0xff000000000000n)) >> 16n) |
    (lower & 0xff0000n) |
    ((lower & 0xff00n) << 32n) |
    ((high & 0xff00000000000000n) >> 8n) |
    ((lower << 56n) & mask);
  const toHigh =
    (((high & 0xff000000n) | (lower & 0xff00000000n)) >> 24n) |
    (high & 0xff0000n) |
    ((high & 0xff0000000000n) >> 16n) |
    ((high & 0xff00n) << 24n) |
    ((lower & 0xff000000000000n) >> 8n) |
    ((high & 0xffn) << 48n) |
    (lower & 0xff00000000000000n);
  return [toLower, toHigh];
}

class HashState {
  private readonly v0: Lanes;
  private readonly v1: Lanes;
  private readonly mul0 = [...initialMul0] as Lanes;
  private readonly mul1 = [...initialMul1] as Lanes;

  constructor(key: Lanes) {
    this.v0 = key.map((lane, i) => lane ^ initialMul0[i]!) as Lanes;
    this.v1 = key.map((lane, i) => swapped(lane) ^ initialMul1[i]!) as Lanes;
  }

  update(packet: Lanes): void {
    const {v0, v1, mul0, mul1} = this;
    for (let i = 0; i < 4; i++) {
      v1[i] = (v1[i]! + mul0[i]! + packet[i]!) & mask;
      mul0[i]! ^= (v1[i]! & low) * (v0[i]! >> 32n);
      v0[i] = (v0[i]! + mul1[i]!) & mask;
      mul1[i]! ^= (v0[i]! & low) * (v1[i]! >> 32n);
    }
    for (const [from, to] of [
      [v1, v0],
      [v0, v1],
    ] as const) {
      for (const at of [0, 2]) {
        const [toLower, toHigh] = zipped(from[at + 1]!, from[at]!);
        to[at] = (to[at]! + toLower) & mask;
        to[at + 1] = (to[at + 1]! + toHigh) & mask;
      }
    }
  }

  /** Adds the bytes after the last whole packet. */
  updateRemainder(rest: Uint8Array): void {
    const size = BigInt(rest.length);
    const {v0, v1} = this;
    for (let i = 0; i < 4; i++) {
      v0[i] = (v0[i]! + (size << 32n) + size) & mask;
      v1[i] = (rotated(v1[i]! >> 32n, size) << 32n) | rotated(v1[i]! & low, size);
    }
    this.update(lanesOf(padded(rest), 0));
  }

  sum(): bigint {
    const {v0, v1, mul0, mul1} = this;
    for (let round = 0; round < 4; round++) this.update([2, 3, 0, 1].map((i) => swapped(v0[i]!)) as Lanes);
    return (v0[0] + v1[0] + mul0[0] + mul1[0]) & mask;
  }
}

const rotated = (half: bigint, by: bigint): bigint => ((half << by) | (half >> (32n - by))) & low;

function padded(rest: Uint8Array): Uint8Array {
  const packet = new Uint8Array(packetBytes);
  const odd = rest.length % 4;
  const even = rest.length - odd;
  packet.set(rest.subarray(0, even));
  if (rest.length >= 16) packet.set(rest.subarray(rest.length - 4), 28);
  else if (odd > 0) packet.set([rest[even]!, rest[even + (odd >> 1)]!, rest[even + odd - 1]!], 16);
  return packet;
}

function lanesOf(bytes: Uint8Array, at: number): Lanes {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, packetBytes);
  return [0, 8, 16, 24].map((lane) => view.getBigUint64(lane, true)) as Lanes;
}

/** `key`: 32 bytes. */
export function highwayHash64(key: Uint8Array, bytes: Uint8Array): bigint {
  const state = new HashState(lanesOf(key, 0));
  const whole = bytes.length - (bytes.length % packetBytes);
  for (let at = 0; at < whole; at += packetBytes) state.update(lanesOf(bytes, at));
  if (whole < bytes.length) state.updateRemainder(bytes.subarray(whole));
  return state.sum();
}
