// Records of changes, as snapshots keep, join and drop them.
import {expect, test} from 'vitest';
import {Changes, type ChangesRecord, type ChangesState, type Fact} from '../../actors/changes.js';
import {changesMs} from '../../actors/limits.js';
import {readChanges} from '../../src/parts/stored-state.js';
import {KeptState} from '../support/kept-state.js';

const erased = (userHash: string) => ({kind: 'erased', userHash}) as const;

/** Hundredths of the time for which a record is kept. */
const kept100 = changesMs / 100;

class Kept {
  private identified: readonly number[] = [];
  private readonly changes = new Changes(() => this.identified);
  private readonly kept = new KeptState();

  set canRead(canRead: boolean) {
    this.kept.canRead = canRead;
  }

  /** Takes a snapshot at this sequence, with these changes. */
  async put(
    {
      sequence,
      facts = [],
      identified = [],
    }: {sequence: number; facts?: readonly Fact[]; identified?: readonly number[]},
    at = 0,
  ): Promise<void> {
    this.identified = identified;
    for (const fact of facts) this.changes.apply(fact);
    await this.kept.snapshot(this.changes, at * kept100, {sequence});
  }

  /** By part. */
  private records(): (readonly ChangesRecord[])[] {
    return this.kept.parts('changes.records').map(({ref, payload}) => readChanges(payload, ref));
  }

  /** What each record tells. */
  get told(): unknown[] {
    return this.records()
      .flat()
      .map(({sequence, facts, identified}) => [sequence, facts.length, ...identified]);
  }

  private get state(): ChangesState {
    return this.kept.values.changes as ChangesState;
  }

  get counts(): readonly number[] {
    return this.state.parts.map(({count}) => count);
  }

  get dropped() {
    return this.state.dropped;
  }
}

test('records of snapshots stay in their order, and a user is in the newest record of its part alone', async () => {
  const kept = new Kept();
  await kept.put({sequence: 1, facts: [erased('a')], identified: [1, 2]});
  await kept.put({sequence: 2});
  await kept.put({sequence: 3, identified: [2, 3]});
  await kept.put({sequence: 4, identified: [1]});
  expect(kept.told).toEqual([
    [1, 1],
    [3, 0, 2, 3],
    [4, 0, 1],
  ]);
  expect(kept.counts).toEqual([4]);
});

test('a large part is joined with no other; neither is one that cannot be read', async () => {
  const kept = new Kept();
  await kept.put({sequence: 1, identified: Array.from({length: 70_000}, (_, user) => user)});
  await kept.put({sequence: 2, identified: [1]});
  await kept.put({sequence: 3, identified: [2]});
  expect(kept.counts).toEqual([70_000, 2]);
  kept.canRead = false;
  await kept.put({sequence: 4, identified: [3]});
  expect(kept.counts).toEqual([70_000, 2, 1]);
});

test('a part goes once all of it is too old, and what was dropped is known', async () => {
  const kept = new Kept();
  await kept.put({sequence: 1, facts: [erased('a')]}, 0);
  kept.canRead = false;
  await kept.put({sequence: 5, facts: [erased('b')]}, 60);
  expect([kept.told, kept.dropped]).toEqual([
    [
      [1, 1],
      [5, 1],
    ],
    null,
  ]);
  await kept.put({sequence: 9}, 101);
  expect([kept.told, kept.dropped]).toEqual([[[5, 1]], {generation: 1, sequence: 1}]);
  await kept.put({sequence: 12}, 300);
  expect([kept.told, kept.dropped]).toEqual([[], {generation: 1, sequence: 5}]);
});

test('records that are joined with newer ones again and again go when their time is over', async () => {
  const kept = new Kept();
  for (let sequence = 1; sequence <= 9; sequence++) await kept.put({sequence, facts: [erased('a')]}, sequence * 30);
  expect(kept.told).toEqual([
    [6, 1],
    [7, 1],
    [8, 1],
    [9, 1],
  ]);
  expect(kept.dropped).toEqual({generation: 1, sequence: 5});
});

test('a start goes on with the parts that are there', async () => {
  const kept = new KeptState();
  const changes = new Changes(() => [1]);
  await kept.snapshot(changes);
  const restarted = await kept.restored(new Changes(() => [2]));
  await kept.snapshot(restarted);
  const records = kept.parts('changes.records').map(({ref, payload}) => readChanges(payload, ref));
  expect(records.map((part) => part.map(({identified}) => identified))).toEqual([[[1], [2]]]);
});
