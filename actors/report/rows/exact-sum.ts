// Sums of doubles without rounding: every order of additions gives the same bytes.
//   ES1. A finite double is mantissa * 2^exponent with whole numbers of at most 53 bits. Mantissas are added by exponent, in two
//       halves that stay exact for 2^26 additions; then they move into a big integer.
//   ES2. The sum is rounded once, to the nearest double, ties to even.

import type {ByteReader, ByteWriter} from '../../bytes/bytes.js';

const halfBits = 26;
const half = 2 ** halfBits;
const additionsMax = 2 ** 26;
/** Exponent of the smallest double. */
const lowestExponent = -1_074;

/** Sums of the halves of mantissas. */
interface Bin {
  high: number;
  low: number;
  additions: number;
  carried: bigint;
}

const words = new DataView(new ArrayBuffer(8));

export class ExactSum {
  /** Number of values added. */
  count = 0;
  /** Sum of whole numbers, while doubles hold it exactly. */
  private whole = 0;
  /** Sums of the other values, by the exponent's distance from `lowestExponent`. */
  private readonly bins = new Map<number, Bin>();

  /** Adds a finite value. */
  add(value: number): void {
    this.count += 1;
    const whole = this.whole + value;
    if (Number.isSafeInteger(value) && Number.isSafeInteger(whole)) this.whole = whole;
    else this.addToBin(value);
  }

  /** Adds the sum of `count` whole values, which a double holds exactly. */
  addWhole(sum: number, count: number): void {
    this.add(sum);
    this.count += count - 1;
  }

  /** Adds all values of another sum. */
  addAll(other: ExactSum): void {
    this.add(other.whole);
    this.count += other.count - 1;
    for (const [place, {high, low, additions, carried}] of other.bins) {
      const bin = this.binOf(place);
      if (bin.additions + additions >= additionsMax) carry(bin);
      bin.high += high;
      bin.low += low;
      bin.additions += additions;
      bin.carried += carried;
    }
  }

  write(to: ByteWriter): void {
    to.varint(this.count);
    to.f64(this.whole);
    to.varint(this.bins.size);
    for (const [place, bin] of this.bins) {
      carry(bin);
      to.varint(place);
      to.string(String(bin.carried));
    }
  }

  static read(from: ByteReader): ExactSum {
    const sum = new ExactSum();
    sum.count = from.varint();
    sum.whole = from.f64();
    for (let left = from.varint(); left > 0; left--) sum.binOf(from.varint()).carried = BigInt(from.string());
    return sum;
  }

  private addToBin(value: number): void {
    if (value === 0) return;
    words.setFloat64(0, value);
    const head = words.getUint32(0);
    const biased = (head >>> 20) & 0x7ff;
    const implicit = biased === 0 ? 0 : 2 ** 52;
    const mantissa = implicit + (head & 0xfffff) * 2 ** 32 + words.getUint32(4);
    const sign = value < 0 ? -1 : 1;
    const bin = this.binOf(Math.max(biased - 1, 0));
    const high = Math.floor(mantissa / half);
    bin.high += sign * high;
    bin.low += sign * (mantissa - high * half);
    bin.additions += 1;
    if (bin.additions === additionsMax) carry(bin);
  }

  private binOf(place: number): Bin {
    let bin = this.bins.get(place);
    if (bin === undefined) {
      bin = {high: 0, low: 0, additions: 0, carried: 0n};
      this.bins.set(place, bin);
    }
    return bin;
  }

  /** The sum divided by `divisor`, a whole number above 0, rounded once; infinite beyond the largest double. ES2 */
  rounded(divisor = 1): number {
    let sum = BigInt(this.whole) << BigInt(-lowestExponent);
    for (const [place, bin] of this.bins) {
      carry(bin);
      sum += bin.carried << BigInt(place);
    }
    return roundedQuotient(sum, BigInt(divisor), lowestExponent);
  }
}

function carry(bin: Bin): void {
  bin.carried += BigInt(bin.high) * BigInt(half) + BigInt(bin.low);
  bin.high = 0;
  bin.low = 0;
  bin.additions = 0;
}

/** The double nearest to sum / divisor * 2^exponent; `exponent` is at least that of the smallest double. */
function roundedQuotient(sum: bigint, divisor: bigint, exponent: number): number {
  if (sum === 0n) return 0;
  const sign = sum < 0n ? -1 : 1;
  const magnitude = sum < 0n ? -sum : sum;
  // Two bits more than a double has, and a sticky bit for the rest.
  const spare = Math.max(0, 56 - (bitsOf(magnitude) - bitsOf(divisor)));
  const scaled = magnitude << BigInt(spare);
  const quotient = scaled / divisor;
  const isExact = quotient * divisor === scaled;
  const power = exponent - spare;
  // A subnormal result keeps fewer bits: its last bit is that of the smallest double.
  const dropped = Math.max(bitsOf(quotient) - 53, lowestExponent - power);
  const rounded = dropped <= 0 ? quotient : roundedShift(quotient, BigInt(dropped), isExact);
  return sign * timesPower(Number(rounded), power + Math.max(dropped, 0)) + 0; // Adding 0 turns -0 into 0.
}

/** value / 2^bits, ties to even; `isExact`: no bit was dropped before. */
function roundedShift(value: bigint, bits: bigint, isExact: boolean): bigint {
  const floor = value >> bits;
  const rest = value - (floor << bits);
  const middle = 1n << (bits - 1n);
  if (rest > middle || (rest === middle && (!isExact || (floor & 1n) === 1n))) return floor + 1n;
  return floor;
}

const bitsOf = (value: bigint): number => value.toString(2).length;

/** value * 2^power, exactly: in two steps, because a single factor may leave the range of doubles. */
function timesPower(value: number, power: number): number {
  const first = Math.max(-1_000, Math.min(1_000, power));
  return value * 2 ** first * 2 ** (power - first);
}
