// Who still has a partition, by what the store says of the newest manifest.
import {setImmediate as turnEnd} from 'node:timers/promises';
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {Replaced} from '../../../src/partition/snapshot/manifest-store.js';
import {Ownership} from '../../../src/partition/snapshot/ownership.js';
import {PartStore} from '../../../src/partition/snapshot/part-store.js';

let nowMs = 0;
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => nowMs));
afterEach(() => void vi.restoreAllMocks());

/** A store that answers when it is told to. */
class Store {
  asked = 0;
  successor: Replaced | undefined;
  isSilent = false;
  readonly lost: Replaced[] = [];
  readonly ownership = new Ownership({successorOf: () => this.answer()}, 1, (successor) => this.lost.push(successor));

  private answer(): Promise<Replaced | undefined> {
    this.asked += 1;
    return this.isSilent ? new Promise(() => undefined) : Promise.resolve(this.successor);
  }
}

const replaced = new Replaced(0, 2);

test('an owner that was not paused is asked once for many parts, and again behind a pause', async () => {
  const store = new Store();
  await Promise.all([store.ownership.confirm(), store.ownership.confirm()]);
  expect([store.ownership.confirm(), store.asked]).toEqual([undefined, 1]);
  nowMs += 60_000;
  await store.ownership.confirm();
  expect(store.asked).toBe(2);
});

test('who was outlived puts nothing any more, and says so once', async () => {
  const store = new Store();
  const published: string[] = [];
  const js = {
    publish: async (subject: string) => {
      published.push(subject);
      return {seq: published.length};
    },
  };
  const parts = new PartStore(js as never, {} as never, 0, store.ownership);
  await parts.put(new Uint8Array(1));
  store.successor = replaced;
  nowMs += 60_000;
  const puts = [parts.put(new Uint8Array(1)), parts.put(new Uint8Array(1))];
  await turnEnd();
  expect(await Promise.race([...puts, 'nothing'])).toBe('nothing');
  expect([published.length, store.lost, store.ownership.isLost]).toEqual([1, [replaced], true]);
});

test('a silent store says nothing of who has a partition', async () => {
  const store = new Store();
  expect(await store.ownership.state(1_000)).toBe('owner');
  store.isSilent = true;
  expect([await store.ownership.state(5), store.lost]).toEqual(['unknown', []]);
  // An answer that waits when the process wakes comes behind the timer that ran out meanwhile.
  const asked = store.asked;
  const standing = store.ownership.state(100);
  store.isSilent = false;
  expect([await standing, store.asked - asked]).toEqual(['owner', 2]);
  store.successor = replaced;
  expect([await store.ownership.state(1_000), await store.ownership.isOutlived()]).toEqual(['outlived', true]);
  expect(store.lost).toEqual([replaced]);
});

test('a tick of a higher epoch is of a successor, unless the store has no manifest of one', async () => {
  const store = new Store();
  const {ownership} = store;
  const raised: (readonly [to: number, from: number])[] = [];
  const raise = async (epoch: number) => void raised.push([epoch, ownership.epoch]);
  expect([await ownership.meet(1, raise), store.asked]).toEqual([false, 0]);
  store.successor = replaced;
  await expect(ownership.meet(2, raise)).rejects.toBe(replaced);
  expect(raised).toEqual([]);
  // Its manifests are lost: this owner continues, above it, once the store has that.
  store.successor = undefined;
  await expect(ownership.meet(7, () => Promise.reject(replaced))).rejects.toBe(replaced);
  expect(ownership.epoch).toBe(1);
  expect([await ownership.meet(7, raise), ownership.epoch, raised]).toEqual([true, 8, [[8, 1]]]);
  const {asked} = store;
  expect([await ownership.meet(8, raise), store.asked]).toEqual([false, asked]);
});

test('that an owner was one before a pause says nothing of now', async () => {
  const store = new Store();
  const standing = store.ownership.state(100); // The store has answered; the process sleeps before it hears that.
  nowMs += 60_000;
  store.successor = replaced;
  expect(await standing).toBe('outlived');
  expect(store.asked).toBe(2);
});
