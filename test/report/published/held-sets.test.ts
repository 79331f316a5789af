// How long sets of snapshots are held for questions that name them.
import {expect, test} from 'vitest';
import {HeldSets, heldMs, heldSetsMax, positionOf, type WholeSet} from '../../../src/report/published/held-sets.js';
import {MemoryParts, TestPartition} from '../../support/snapshot.js';

const parts = new MemoryParts();
const newPartition = (): TestPartition => new TestPartition(parts).append({user: 'ada', event: 'A', timeMs: 1});
const positionIn = (set: WholeSet): string => positionOf(set.map(({manifest}) => manifest));

test('a set is held for 10 minutes after it was the newest, however often it is asked for', () => {
  const partition = newPartition();
  const [first, second] = [[partition.publish()], [partition.publish()]];
  const sets = new HeldSets();
  sets.hold(first, 0);
  sets.hold(first, 100);
  sets.hold(second, 200);
  expect(sets.at('0:1.1')).toBe(first);
  sets.hold(second, 100 + heldMs - 1);
  expect(sets.at('0:1.1')).toBe(first);
  sets.hold(second, 100 + heldMs);
  expect([sets.at('0:1.1'), sets.at('0:1.2')]).toEqual([undefined, second]);
});

test('the newest ten sets are held', () => {
  const partition = newPartition();
  const all = Array.from({length: heldSetsMax + 2}, () => [partition.publish()]);
  const sets = new HeldSets();
  for (const [n, set] of all.entries()) sets.hold(set, n);
  expect(all.map((set) => sets.at(positionIn(set)))).toEqual([undefined, undefined, ...all.slice(2)]);
});

test('a set that is the newest again is no older one', () => {
  const partition = newPartition();
  const all = Array.from({length: heldSetsMax + 1}, () => [partition.publish()]);
  const sets = new HeldSets();
  for (const [n, set] of all.slice(0, -1).entries()) sets.hold(set, n);
  sets.hold(all[0]!, 20);
  sets.hold(all.at(-1)!, 21);
  expect([all[0]!, all[1]!].map((set) => sets.at(positionIn(set)))).toEqual([all[0], undefined]);
});

test('a deletion in any partition ends all earlier sets, folded and completed', () => {
  const [one, other] = [newPartition(), newPartition()];
  const set = (): WholeSet => [one.publish(0, 0), other.publish(0, 1)];
  const sets = new HeldSets();
  const [before, after] = [set(), set()];
  other.erase('ada');
  const [folded, next] = [set(), set()];
  for (const [n, held] of [before, after, folded, next].entries()) sets.hold(held, n);
  expect([before, after, folded, next].map((held) => sets.at(positionIn(held)))).toEqual([
    undefined,
    undefined,
    folded,
    next,
  ]);
  const completed = set().map((snapshot) => {
    const completedDeletions = [parts.put(new Uint8Array(1))];
    return {...snapshot, index: {...snapshot.index, deletions: [], completedDeletions}};
  });
  sets.hold(completed, 5);
  expect([folded, next, completed].map((held) => sets.at(positionIn(held)))).toEqual([undefined, undefined, completed]);
});
