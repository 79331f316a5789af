// Bytes four at a time, at every alignment and length, against the same byte by byte.
import {describe, expect, test} from 'vitest';
import {copyRange, equalRanges, viewOf} from '../../../actors/bytes/byte-ranges.js';
import {hashBytes, hashWords} from '../../../actors/bytes/hash.js';
import {Random} from '../../../tools/random.js';

const random = new Random(7);
const bytes = Uint8Array.from({length: 64}, () => random.between(0, 255));

describe('ranges', () => {
  test('equal ones are equal, and one other byte anywhere is seen', () => {
    for (let length = 0; length < 20; length++) {
      for (let start = 0; start < 9; start++) {
        const other = new Uint8Array(40);
        other.set(bytes.subarray(start, start + length), 5);
        const equal = () => equalRanges(viewOf(bytes), start, new DataView(other.buffer), 5, length);
        expect(equal()).toBe(true);
        for (let i = 0; i < length; i++) {
          other[5 + i]! ^= 1;
          expect(equal()).toBe(false);
          other[5 + i]! ^= 1;
        }
      }
    }
  });

  test('copies are whole and write nothing beside themselves', () => {
    for (let length = 0; length < 20; length++) {
      const target = new Uint8Array(40).fill(0xee);
      copyRange(viewOf(bytes), 3, 3 + length, new DataView(target.buffer), 7);
      const wanted = new Uint8Array(40).fill(0xee);
      wanted.set(bytes.subarray(3, 3 + length), 7);
      expect(target).toEqual(wanted);
    }
  });

  test('a view is that of the bytes asked for, also of a part of a buffer', () => {
    const part = bytes.subarray(10, 20);
    expect([viewOf(part).byteLength, viewOf(part).getUint8(0), viewOf(bytes).getUint8(0)]).toEqual([
      10,
      bytes[10],
      bytes[0],
    ]);
  });
});

describe('hashes', () => {
  test('are those of MurmurHash3 x86_32, wherever the bytes stand', () => {
    // Reference values of the published algorithm.
    const of = (text: string, seed: number) => {
      const raw = new TextEncoder().encode(text);
      const held = new Uint8Array(raw.length + 3);
      held.set(raw, 3);
      return hashBytes(held, 3, held.length, seed);
    };
    expect(of('', 1)).toBe(0x514e28b7);
    expect(of('test', 0x9747b28c)).toBe(0x704b81dc);
    expect(of('Hello, world!', 0x9747b28c)).toBe(0x24884cba);
    expect(of('The quick brown fox jumps over the lazy dog', 0x9747b28c)).toBe(0x2fa826cd);
  });

  test('three lanes: golden, at every length of the tail', () => {
    const lanes = [0, 1, 2, 3, 4, 5].map((length) => {
      const words = Uint32Array.of(1, 2, 3);
      hashWords(Uint8Array.of(9, 8, 7, 6, 255, 4, 3), 1, 1 + length, words);
      return Array.from(words, (word) => word.toString(16).padStart(8, '0')).join(' ');
    });
    expect(lanes).toEqual([
      '514e28b7 30f4c306 85f0b427',
      'efa620c9 ff2d702c 534dbede',
      'cff72e1a 826a3295 147a462c',
      '812eefcf 29b92933 610d54cc',
      '3794f91e ce2d99ef b18775b3',
      'ff11d6a0 52e5dfc0 74fe8309',
    ]);
  });
});
