// One walk over a value from JSON.parse: bounds of objects, forbidden keys, and a cheap upper bound of the compact size.
//   W1. `weight` is never below the UTF-8 bytes of the value's compact JSON: a character takes at most 6 bytes
//       (an escape, as in \u0001), a number at most 25, and every value and key brings at most two marks (, or : and brackets).
//   W2. Depth is bounded before: nesting.ts lets nothing deeper than `nestingMax` reach JSON.parse, so recursion is safe.
import {eventDepthMax, objectDepthMax, objectKeyCharsMax, objectKeysMax} from '../../actors/limits.js';

const numberBytesMax = 25;
const charBytesMax = 6;

/** A bound that a stored object breaks: too many keys, a key that is too long, too many levels, a `__proto__`, a number too large for a double. */
export type BrokenBound = 'keys' | 'key' | 'levels' | 'proto' | 'number';

/** The walk sums in fields: a result object per value would cost more than the walk. */
export class ObjectWalk {
  /** W1 */
  weight = 0;
  /** Place of the bound that `bounded` returned: keys and indexes, the innermost first. */
  readonly path: (string | number)[] = [];

  reset(): void {
    this.weight = 2;
    if (this.path.length > 0) this.path.length = 0; // The assignment costs much even when nothing changes.
  }

  key(key: string): void {
    this.weight += key.length * charBytesMax + 4;
  }

  /** The bound that a stored value (`properties`, `traits`, their contents) breaks, if any. The outermost has `depth` 1. */
  bounded(value: unknown, depth: number): BrokenBound | undefined {
    if (typeof value === 'object' && value !== null) {
      if (depth > objectDepthMax) return 'levels';
      this.weight += 3;
      return Array.isArray(value) ? this.boundedArray(value, depth) : this.boundedObject(value, depth);
    }
    this.leaf(value);
    // JSON.parse makes Infinity of a number that overflows a double.
    return typeof value !== 'number' || Number.isFinite(value) ? undefined : 'number';
  }

  private boundedObject(value: object, depth: number): BrokenBound | undefined {
    let keys = 0;
    for (const key in value) {
      if (++keys > objectKeysMax) return 'keys';
      if (key === '__proto__') return 'proto';
      const broken = isKeyShort(key)
        ? this.bounded((value as Record<string, unknown>)[key], depth + 1)
        : ('key' as const);
      if (broken !== undefined) return this.brokenAt(key, broken);
      this.key(key);
    }
    return undefined;
  }

  private boundedArray(value: readonly unknown[], depth: number): BrokenBound | undefined {
    for (let i = 0; i < value.length; i++) {
      const broken = this.bounded(value[i], depth + 1);
      if (broken !== undefined) return this.brokenAt(i, broken);
    }
    return undefined;
  }

  private brokenAt(place: string | number, broken: BrokenBound): BrokenBound {
    this.path.push(place);
    return broken;
  }

  /** The fault of an ignored value (an unknown field), if any; otherwise only its size matters. */
  ignored(value: unknown, depth: number): 'proto' | 'depth' | undefined {
    if (typeof value !== 'object' || value === null) {
      this.leaf(value);
      return undefined;
    }
    if (depth > eventDepthMax) return 'depth';
    this.weight += 3;
    return Array.isArray(value) ? this.ignoredArray(value, depth) : this.ignoredObject(value, depth);
  }

  private ignoredObject(value: object, depth: number): 'proto' | 'depth' | undefined {
    for (const key in value) {
      if (key === '__proto__') return 'proto';
      this.key(key);
      const wrong = this.ignored((value as Record<string, unknown>)[key], depth + 1);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  private ignoredArray(value: readonly unknown[], depth: number): 'proto' | 'depth' | undefined {
    for (let i = 0; i < value.length; i++) {
      const wrong = this.ignored(value[i], depth + 1);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  private leaf(value: unknown): void {
    this.weight += typeof value === 'string' ? value.length * charBytesMax + 3 : numberBytesMax;
  }
}

function isKeyShort(key: string): boolean {
  return (
    key.length <= objectKeyCharsMax || (key.length <= 2 * objectKeyCharsMax && codePoints(key) <= objectKeyCharsMax)
  );
}

/** Characters as docs/api/events.md counts them: code points; a lone surrogate is one. */
export function codePoints(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next < 0xe000) i += 1;
    }
    count += 1;
  }
  return count;
}
