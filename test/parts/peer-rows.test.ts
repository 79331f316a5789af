// Rows from thread to thread: what is at hand there comes as a copy, and whoever asks for anything else, or of a thread that
// has ended, is told so instead of waiting.
import {MessageChannel} from 'node:worker_threads';
import {afterEach, describe, expect, test} from 'vitest';
import type {PartRef} from '../../actors/manifest.js';
import {PeerRows, serveRows} from '../../src/parts/peer-rows.js';

const opened: MessageChannel[] = [];
afterEach(() => {
  for (const {port1} of opened.splice(0)) port1.close();
});

function channel(): MessageChannel {
  const made = new MessageChannel();
  opened.push(made);
  return made;
}

const ref = (key: string): PartRef => ({key, revisions: [1], bytes: 3, valueBytes: 3, crcs: [0]});

describe('rows handed over', () => {
  test('what a thread has comes as the asker’s own, and what it has not as undefined', async () => {
    const {port1, port2} = channel();
    const held = new Map([['0.a', Uint8Array.of(1, 2, 3)]]);
    serveRows(port1, (key) => held.get(key)?.slice());
    const rows = new PeerRows([{partitions: [0, 2], port: port2}]);
    const both = await Promise.all([rows.copy(0, ref('0.a')), rows.copy(2, ref('2.a'))]);
    expect(both).toEqual([Uint8Array.of(1, 2, 3), undefined]);
    expect(await rows.copy(0, ref('0.a'))).toEqual(Uint8Array.of(1, 2, 3));
    expect(held.get('0.a')).toEqual(Uint8Array.of(1, 2, 3));
  });

  test('each partition’s thread is asked, and nobody for a partition of none', async () => {
    const [even, odd] = [channel(), channel()];
    const asked: string[] = [];
    for (const [name, {port1}] of Object.entries({even, odd})) {
      serveRows(port1, (key) => {
        asked.push(`${name} ${key}`);
        return Uint8Array.of(name.length);
      });
    }
    const rows = new PeerRows([
      {partitions: [0, 2], port: even.port2},
      {partitions: [1], port: odd.port2},
    ]);
    expect(await rows.copy(1, ref('1.a'))).toEqual(Uint8Array.of(3));
    expect(await rows.copy(2, ref('2.a'))).toEqual(Uint8Array.of(4));
    expect(await rows.copy(3, ref('3.a'))).toBeUndefined();
    expect(asked).toEqual(['odd 1.a', 'even 2.a']);
  });

  test('a thread that ends answers nothing more: who waits for it, and who comes later, is told', async () => {
    const {port1, port2} = channel();
    const rows = new PeerRows([{partitions: [0], port: port2}]);
    const waiting = rows.copy(0, ref('0.a'));
    port1.close();
    expect(await waiting).toBeUndefined();
    expect(await rows.copy(0, ref('0.b'))).toBeUndefined();
  });
});
