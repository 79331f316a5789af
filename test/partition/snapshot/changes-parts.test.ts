import {expect, test} from 'vitest';
import type {ChangesRecord} from '../../../actors/changes.js';
import type {PartRef} from '../../../actors/manifest.js';
import {UserSet} from '../../../actors/table/user-set.js';
import {putChanges} from '../../../src/partition/snapshot/changes-parts.js';
import {Layout} from '../../../src/partition/snapshot/layout.js';
import {Throttle} from '../../../src/partition/throttle.js';
import {readChanges} from '../../../src/parts/stored-state.js';
import {KeptParts} from '../../support/memory-shell.js';

const erased = (userHash: string) => ({kind: 'erased', userHash}) as const;

class Kept {
  private readonly parts = new KeptParts();
  private readonly layout = new Layout(this.parts as never, new Throttle(() => 0), new UserSet());
  canRead = true;

  async put(record: Partial<ChangesRecord> & {sequence: number}, logicalMs = 0): Promise<void> {
    const changes = {generation: 1, expiresLogicalMs: logicalMs + 100, facts: [], identified: [], ...record};
    await putChanges(this.layout, this.parts as never, {changes, rest: {logicalMs} as never}, async (joined) =>
      this.canRead ? {joined, payloads: await Promise.all(joined.map(({part}) => this.read(part)))} : noParts,
    );
  }

  private async read(part: PartRef): Promise<readonly ChangesRecord[]> {
    return readChanges((await this.parts.read(part.revisions[0]!))!, part);
  }

  /** By part. */
  async records(): Promise<(readonly ChangesRecord[])[]> {
    return Promise.all(this.layout.changes.map(({part}) => this.read(part)));
  }

  /** What each record tells. */
  async told(): Promise<unknown[]> {
    const all = (await this.records()).flat();
    return all.map(({sequence, facts, identified}) => [sequence, facts.length, ...identified]);
  }

  get counts(): readonly number[] {
    return this.layout.changes.map(({count}) => count);
  }

  get dropped() {
    return this.layout.changesDropped;
  }
}

const noParts = {joined: [], payloads: []};

test('records of snapshots stay in their order, and a user is in the newest record of its part alone', async () => {
  const kept = new Kept();
  await kept.put({sequence: 1, facts: [erased('a')], identified: [1, 2]});
  await kept.put({sequence: 2});
  await kept.put({sequence: 3, identified: [2, 3]});
  await kept.put({sequence: 4, identified: [1]});
  expect(await kept.told()).toEqual([
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
  expect([await kept.told(), kept.dropped]).toEqual([
    [
      [1, 1],
      [5, 1],
    ],
    null,
  ]);
  await kept.put({sequence: 9}, 101);
  expect([await kept.told(), kept.dropped]).toEqual([[[5, 1]], {generation: 1, sequence: 1}]);
  await kept.put({sequence: 12}, 300);
  expect([await kept.told(), kept.dropped]).toEqual([[], {generation: 1, sequence: 5}]);
});

test('records that are joined with newer ones again and again go when their time is over', async () => {
  const kept = new Kept();
  for (let sequence = 1; sequence <= 9; sequence++) await kept.put({sequence, facts: [erased('a')]}, sequence * 30);
  expect(await kept.told()).toEqual([
    [6, 1],
    [7, 1],
    [8, 1],
    [9, 1],
  ]);
  expect(kept.dropped).toEqual({generation: 1, sequence: 5});
});
