import {crc32, gzipSync} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import {joinBodies} from '../../actors/chunk/bodies.js';
import type {PartRef} from '../../actors/manifest.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {storedMember} from '../../src/parts/stored-member.js';
import {DamagedPart, MissingPart, type PartValues} from '../../src/parts/stored-parts.js';
import {MemoryParts, TestPartition} from '../support/snapshot.js';

/** A store that counts its reads and holds them back until it is told. */
class Store implements PartValues {
  readonly values: (Uint8Array | undefined)[] = [];
  readonly reads: number[] = [];
  gate: Promise<void> = Promise.resolve();

  put(payload: Uint8Array, valueBytesMax = 4): PartRef {
    const revisions: number[] = [];
    const crcs: number[] = [];
    for (let at = 0; at < payload.length; at += valueBytesMax) {
      const value = Buffer.from(payload.slice(at, at + valueBytesMax));
      revisions.push(this.values.push(value));
      crcs.push(crc32(value));
    }
    return {key: `rows.${revisions[0]}`, revisions, bytes: payload.length, valueBytes: valueBytesMax, crcs};
  }

  async read(revision: number): Promise<Uint8Array | undefined> {
    this.reads.push(revision);
    await this.gate;
    return this.values[revision - 1];
  }
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('parts cache', () => {
  test('joins the values of a part in order, in a buffer of its own', async () => {
    const store = new Store();
    const ref = store.put(bytesOf('the way of an event'));
    const payload = await new PartsCache(store, 1_000).load(ref);
    expect(new TextDecoder().decode(payload)).toBe('the way of an event');
    expect(payload.byteOffset).toBe(0);
    expect(payload.buffer.byteLength).toBe(payload.length);
  });

  test.each([4, 100])(
    'what is not kept is checked like what is, and read anew each time (values of %i bytes)',
    async (most) => {
      const store = new Store();
      const ref = store.put(bytesOf('12345678'), most);
      const cache = new PartsCache(store, 1_000);
      for (let i = 0; i < 2; i++) {
        const payload = await cache.loadUncached(ref);
        expect(new TextDecoder().decode(payload)).toBe('12345678');
        // Of a Buffer it would share the memory that a value came in.
        expect(payload.slice().buffer).not.toBe(payload.buffer);
      }
      expect([cache.memory.bytesHeld, store.reads.length]).toEqual([0, 2 * ref.revisions.length]);
      store.values[0] = Buffer.from(`9${'2345678'.slice(0, Math.min(most, 8) - 1)}`);
      await expect(cache.loadUncached(ref)).rejects.toThrow(DamagedPart);
      store.values[0] = undefined;
      await expect(cache.loadUncached(ref)).rejects.toThrow(MissingPart);
    },
  );

  test('a value from the files of nats-server is used if its checksum is right; otherwise the server is asked', async () => {
    const store = new Store();
    const ref = store.put(bytesOf('12345678'));
    const atHand = new Map([
      [1, bytesOf('1234')],
      [2, bytesOf('567')],
    ]);
    const near: PartValues = {
      read: (revision) => store.read(revision),
      atHand: async (revision, _key, isRight) => {
        const value = atHand.get(revision);
        return value !== undefined && isRight(value) ? value : undefined;
      },
    };
    const payload = await new PartsCache(near, 0).load(ref);
    expect([new TextDecoder().decode(payload), store.reads]).toEqual(['12345678', [2]]);
    atHand.set(1, bytesOf('9234'));
    await new PartsCache(near, 0).load(ref);
    expect(store.reads).toEqual([2, 1, 2]);
  });

  test('a store that lost its tail gives a revision to another part: neither is taken for the other', async () => {
    const store = new Store();
    const lost = {...store.put(bytesOf('lost'), 100), key: 'rows.lost'};
    const cache = new PartsCache(store, 1_000);
    await cache.load(lost);
    store.values.length = 0;
    const next = {...store.put(bytesOf('next'), 100), key: 'rows.next'};
    expect(next.revisions).toEqual(lost.revisions);
    expect(new TextDecoder().decode(await cache.load(next))).toBe('next');
  });

  test('reads a part once, however many ask for it at once or later', async () => {
    const store = new Store();
    const ref = store.put(bytesOf('12345678'));
    let open = (): void => undefined;
    store.gate = new Promise((resolve) => {
      open = resolve;
    });
    const cache = new PartsCache(store, 1_000);
    const asked = [cache.load(ref), cache.load(ref), cache.load(ref)];
    open();
    const [first, second] = await Promise.all(asked);
    expect(second).toBe(first);
    expect(await cache.load(ref)).toBe(first);
    expect(store.reads).toEqual([1, 2]);
  });

  test('a pass caches nothing, and is no use of what is cached', async () => {
    const parts = new MemoryParts();
    const partition = new TestPartition(parts);
    for (let chunk = 0; chunk < 4; chunk++) partition.append({user: 'u', event: 'A', timeMs: chunk}).cutChunk();
    const [a, b, c, d] = partition.publish().index.chunks.map(({rows}) => rows) as [PartRef, PartRef, PartRef, PartRef];
    const cache = new PartsCache(parts, a.bytes + b.bytes + c.bytes);
    const viewed = await cache.rows.load({rows: a});
    await cache.rows.load({rows: b});
    const [reads, held] = [parts.reads, cache.memory.bytesHeld];
    const passed = await cache.rows.load({rows: c}, 'pass');
    expect(passed.times).toEqual((await cache.rows.load({rows: c}, 'pass')).times);
    expect([parts.reads, cache.memory.bytesHeld]).toEqual([reads + 2, held]);
    expect(await cache.rows.load({rows: a}, 'pass')).toBe(viewed); // Is no use of it:
    for (const rows of [c, d]) await cache.rows.load({rows});
    expect([a, b, c, d].map((rows) => cache.memory.peek(rows.key) !== undefined)).toEqual([false, true, true, true]);
    const [first, second] = await Promise.all([cache.rows.load({rows: a}), cache.rows.load({rows: a}, 'pass')]);
    expect(second).toBe(first);
  });

  test('hands out a part larger than the bound without keeping it', async () => {
    const store = new Store();
    const ref = store.put(bytesOf('123456789'));
    const cache = new PartsCache(store, 8);
    expect((await cache.load(ref)).length).toBe(9);
    expect(cache.memory.bytesHeld).toBe(0);
  });

  test('a swept value is a missing part, and is asked for anew the next time', async () => {
    const store = new Store();
    const ref = store.put(bytesOf('12345678'));
    const [, second] = store.values;
    store.values[1] = undefined;
    const cache = new PartsCache(store, 1_000);
    await expect(cache.load(ref)).rejects.toBeInstanceOf(MissingPart);
    store.values[1] = second;
    expect((await cache.load(ref)).length).toBe(8);
  });

  test.each([
    ['a flipped bit', (ref: PartRef) => ref, [0x31 ^ 4, 0x32, 0x33, 0x34]],
    ['a shorter value', (ref: PartRef) => ref, [0x31, 0x32, 0x33]],
    ['a longer value', (ref: PartRef) => ref, [0x31, 0x32, 0x33, 0x34, 0x35]],
    ['another checksum', (ref: PartRef) => ({...ref, crcs: [ref.crcs[0]! ^ 1]}), [0x31, 0x32, 0x33, 0x34]],
  ])('%s is damage', async (_, alter, value) => {
    const store = new Store();
    const ref = alter(store.put(bytesOf('1234')));
    store.values[0] = Uint8Array.from(value);
    await expect(new PartsCache(store, 1_000).load(ref)).rejects.toBeInstanceOf(DamagedPart);
  });

  test('inflates one block of a bodies part, and keeps it too', async () => {
    const store = new Store();
    const ref = store.put(joinBodies([gzipSync('first block'), gzipSync('second block')]), 1_000);
    const cache = new PartsCache(store, 1_000);
    expect(cache.heldBodyBlock(ref, 1)).toBeUndefined();
    const block = await cache.loadBodyBlock(ref, 1);
    expect(cache.heldBodyBlock(ref, 1)).toBe(block);
    expect(cache.heldBodyBlock(ref, 0)).toBeUndefined();
    expect(new TextDecoder().decode(block)).toBe('second block');
    expect(await cache.loadBodyBlock(ref, 1)).toBe(block);
    expect(store.reads).toEqual([1]);
    await expect(cache.loadBodyBlock(ref, 2)).rejects.toBeInstanceOf(DamagedPart);
  });

  test('a block is read out of the values that hold it, and out of no others', async () => {
    const texts = Array.from({length: 40}, (_, i) => `block ${i} ${'abcdefghij'.slice(i % 10)}`);
    const members = texts.map((text) => gzipSync(text));
    const store = new Store();
    const ref = store.put(joinBodies(members), 200);
    const cache = new PartsCache(store, 10_000);
    for (const i of [39, 0, 17]) {
      expect(new TextDecoder().decode(await cache.loadBodyBlock(ref, i))).toBe(texts[i]);
    }
    expect(await cache.bodyBlocks(ref)).toBe(40);
    expect(store.reads.length).toBeLessThan(6);
    expect(new Set(store.reads).size).toBe(store.reads.length);
    for (const [i, text] of texts.entries()) {
      expect(new TextDecoder().decode(await cache.loadBodyBlock(ref, i))).toBe(text);
    }
    store.values[store.values.length - 1] = bytesOf('other bytes');
    await expect(new PartsCache(store, 10_000).loadBodyBlock(ref, 39)).rejects.toBeInstanceOf(DamagedPart);
    store.values[store.values.length - 1] = undefined;
    await expect(new PartsCache(store, 10_000).loadBodyBlock(ref, 39)).rejects.toBeInstanceOf(MissingPart);
  });

  test('a block that is stored as it is stands in its value, at hand with it, and is not kept beside it', async () => {
    const store = new Store();
    const part = joinBodies([storedMember(bytesOf('first')), storedMember(bytesOf('second')), gzipSync('third')]);
    const ref = store.put(part, part.length);
    const cache = new PartsCache(store, 1_000);
    await cache.loadBodies(ref);
    expect([0, 1].map((i) => new TextDecoder().decode(cache.heldBodyBlock(ref, i)))).toEqual(['first', 'second']);
    expect([2, 3].map((i) => cache.heldBodyBlock(ref, i))).toEqual([undefined, undefined]);
    expect(new TextDecoder().decode(await cache.loadBodyBlock(ref, 1))).toBe('second');
    expect(cache.memory.bytesHeld).toBe(part.length);
    expect(new TextDecoder().decode(await cache.loadBodyBlock(ref, 2))).toBe('third');
    expect(cache.memory.bytesHeld).toBe(part.length + 'third'.length);
    expect(store.reads).toEqual([1]);
  });

  test('one that stands in two values is read out of both, and kept', async () => {
    const texts = Array.from({length: 12}, (_, i) => `block ${i}`);
    const store = new Store();
    const part = joinBodies(texts.map((text) => storedMember(bytesOf(text))));
    const ref = store.put(part, 100); // Members of 30 or 31 bytes.
    const cache = new PartsCache(store, 10_000);
    await cache.loadBodies(ref);
    const reads = [...store.reads];
    for (const [i, text] of texts.entries()) {
      const block = cache.heldBodyBlock(ref, i)!;
      expect(new TextDecoder().decode(block)).toBe(text);
      expect(await cache.loadBodyBlock(ref, i)).toEqual(block);
    }
    expect(store.reads).toEqual(reads);
    const inTwo = texts.filter((_, i) => cache.memory.peek(`${ref.key}/${i}`) !== undefined);
    expect([inTwo.length, store.values.length]).toEqual([4, 5]);
    const blockBytes = inTwo.reduce((sum, text) => sum + text.length, 0);
    expect(cache.memory.bytesHeld).toBe(part.length + 4 + 4 * texts.length + blockBytes);
    const copied = await new PartsCache(store, 10_000).loadBodyBlock(ref, texts.indexOf(inTwo[0]!));
    expect(new TextDecoder().decode(copied)).toBe(inTwo[0]);
  });

  test('a stored block whose bytes differ from its own checksum is damage', async () => {
    const member = storedMember(bytesOf('block'));
    member[17]! ^= 1;
    const store = new Store();
    const ref = store.put(joinBodies([member]), 1_000);
    const cache = new PartsCache(store, 1_000);
    await cache.loadBodies(ref);
    expect(cache.heldBodyBlock(ref, 0)).toBeUndefined();
    await expect(cache.loadBodyBlock(ref, 0)).rejects.toBeInstanceOf(DamagedPart);
  });

  test('a block that does not inflate is damage', async () => {
    const store = new Store();
    const ref = store.put(joinBodies([bytesOf('no gzip member')]), 1_000);
    await expect(new PartsCache(store, 1_000).loadBodyBlock(ref, 0)).rejects.toBeInstanceOf(DamagedPart);
  });

  test('of a part larger than the bound a block is read once', async () => {
    const store = new Store();
    const ref = store.put(joinBodies([gzipSync('first block'), gzipSync('second block')]), 1_000);
    const cache = new PartsCache(store, 20);
    expect(new TextDecoder().decode(await cache.loadBodyBlock(ref, 1))).toBe('second block');
    expect(store.reads).toEqual([1]);
    expect(new TextDecoder().decode(cache.heldBodyBlock(ref, 1))).toBe('second block');
  });

  test('readers that share a memory have at hand what the others loaded, and it is kept once', async () => {
    const stores = [new Store(), new Store()] as const;
    const [ref] = stores.map((store) => store.put(bytesOf('12345678')));
    let open = (): void => undefined;
    stores[0].gate = new Promise((resolve) => {
      open = resolve;
    });
    const slow = new PartsCache(stores[0], 1_000);
    const quick = new PartsCache(stores[1], slow.memory);
    const [late, first] = [slow.load(ref!), await quick.load(ref!)];
    open();
    expect(await late).toBe(first);
    expect(await slow.load(ref!)).toBe(first);
    expect(slow.memory.bytesHeld).toBe(8);
    expect(quick.memory).toBe(slow.memory);
  });

  test('a reader whose store fails does not keep another of the same memory from reading', async () => {
    const stores = [new Store(), new Store()] as const;
    const [ref] = stores.map((store) => store.put(bytesOf('12345678')));
    stores[0].values[0] = undefined;
    const failing = new PartsCache(stores[0], 1_000);
    const going = new PartsCache(stores[1], failing.memory);
    const [failed, loaded] = await Promise.allSettled([failing.load(ref!), going.load(ref!)]);
    expect(failed).toMatchObject({status: 'rejected', reason: expect.any(MissingPart)});
    expect(loaded.status).toBe('fulfilled');
    expect(new TextDecoder().decode(await failing.load(ref!))).toBe('12345678');
  });

  test('what is read unkept is taken from memory where it is at hand, and is no use of it', async () => {
    const store = new Store();
    const [a, b, c] = ['aaaa', 'bbbb', 'cccc'].map((text) => store.put(bytesOf(text)));
    const cache = new PartsCache(store, 8);
    const first = await cache.load(a!);
    await cache.load(b!);
    expect(await cache.loadUncached(a!)).toBe(first);
    expect(store.reads).toEqual([1, 2]);
    await cache.load(c!);
    expect([a!, b!, c!].map(({key}) => cache.memory.peek(key) !== undefined)).toEqual([false, true, true]);
  });

  test('what is forgotten takes no room, with all that was opened and derived of it; others stay', async () => {
    const store = new Store();
    const parts = new MemoryParts();
    const partition = new TestPartition(parts).append({user: 'u', event: 'A', timeMs: 1}).cutChunk();
    const {chunks, windowRuns} = partition.publish().index;
    const [{rows}, windows] = [chunks[0]!, windowRuns[0]!.blocks[0]!.part];
    const part = joinBodies([gzipSync('first'), storedMember(bytesOf('second')), gzipSync('third')]);
    const both = new PartsCache({read: (revision) => (revision > 100 ? store : parts).read(revision % 100)}, 100_000);
    const shifted = (ref: PartRef): PartRef => ({...ref, revisions: ref.revisions.map((revision) => revision + 100)});
    const [one, many, other] = [part.length, 30, 1_000].map((most) => shifted(store.put(part, most)));
    for (const ref of [one!, many!, other!]) {
      await both.loadBodies(ref);
      for (let block = 0; block < 3; block++) await both.loadBodyBlock(ref, block);
    }
    const kept = both.memory.bytesHeld;
    await both.rows.load({rows});
    await both.loadWindows(windows);
    expect(both.memory.bytesHeld).toBe(kept + rows.bytes + windows.bytes);
    for (const part of [rows, windows]) both.forget(part);
    expect(both.memory.bytesHeld).toBe(kept);
    for (const ref of [one!, many!]) both.forget(ref);
    expect(both.memory.bytesHeld).toBe(part.length + 'firstthird'.length);
    expect(new TextDecoder().decode(both.heldBodyBlock(other!, 2))).toBe('third');
  });

  test.each([1_000, 60])(
    'what was just put is at hand for live reads, and read by nobody (values of %i bytes)',
    async (most) => {
      const texts = Array.from({length: 9}, (_, i) => `block ${i}`);
      const part = joinBodies(texts.map((text, i) => (i % 2 === 0 ? storedMember(bytesOf(text)) : gzipSync(text))));
      const store = new Store();
      const cache = new PartsCache(store, 10_000);
      const [blocks, whole] = [store.put(part, most), store.put(bytesOf('the way of an event'), most)];
      cache.addWritten(blocks, part, 'by blocks');
      cache.addWritten(whole, bytesOf('the way of an event'), 'whole');
      expect(cache.memory.bytesHeld).toBe(part.length + whole.bytes);
      expect(new TextDecoder().decode(await cache.load(whole))).toBe('the way of an event');
      for (const [i, text] of texts.entries())
        expect(new TextDecoder().decode(await cache.loadBodyBlock(blocks, i))).toBe(text);
      expect(store.reads).toEqual([]);
      for (const ref of [blocks, whole]) cache.forget(ref);
      expect(cache.memory.bytesHeld).toBe(0);
    },
  );

  test('what is lent is kept free, and comes back', async () => {
    const store = new Store();
    const refs = [store.put(bytesOf('12345678'), 100), store.put(bytesOf('abcdefgh'), 100)];
    const cache = new PartsCache(store, 16);
    for (const ref of refs) await cache.load(ref);
    expect(cache.memory.bytesHeld).toBe(16);
    cache.memory.lend(8);
    expect([cache.memory.bytesHeld, cache.memory.bytesMax]).toEqual([8, 8]);
    cache.memory.lend(10); // More than there is.
    expect([cache.memory.bytesHeld, cache.memory.bytesMax]).toEqual([0, 0]);
    expect(new TextDecoder().decode(await cache.load(refs[0]!))).toBe('12345678');
    cache.memory.lend(-18);
    for (const ref of refs) await cache.load(ref);
    expect([cache.memory.bytesHeld, cache.memory.bytesMax]).toEqual([16, 16]);
  });
});
