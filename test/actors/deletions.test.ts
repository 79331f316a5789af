// Records of deletions, beside a model that goes through all of them.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {Deletions, type DeletionsState} from '../../actors/deletions.js';
import type {DeletionRecord} from '../../actors/manifest.js';
import {KeptState} from '../support/kept-state.js';
import {runs} from '../support/runs.js';

const completed = {timeMs: 1, verified: ['read back']};

const recordOf = (n: number, user: number, expiresLogicalMs: number): DeletionRecord => ({
  id: `del_0_${n}`,
  userHash: `hash of ${user}`,
  position: {generation: 1, sequence: n},
  deviceHashes: [],
  eventsDeleted: n,
  completed: null,
  expiresLogicalMs,
});

const step = fc.oneof(
  fc.record({kind: fc.constant('add' as const), user: fc.nat(3)}),
  fc.record({kind: fc.constant('complete' as const), n: fc.nat(40)}),
  fc.record({kind: fc.constant('expire' as const), logicalMs: fc.nat(40)}),
);

test('a user is told of its newest deletion that is on record (DR1); one that is pending stays (DR2)', () => {
  fc.assert(
    fc.property(fc.array(step, {maxLength: 40}), (steps) => {
      const deletions = new Deletions();
      let model: DeletionRecord[] = [];
      steps.forEach((one, n) => {
        if (one.kind === 'add') {
          deletions.apply(recordOf(n, one.user, n));
          model.push(recordOf(n, one.user, n));
        } else if (one.kind === 'complete' && deletions.has(`del_0_${one.n}`)) {
          deletions.complete(`del_0_${one.n}`, completed);
          model = model.map((record) => (record.position.sequence === one.n ? {...record, completed} : record));
        } else if (one.kind === 'expire') {
          deletions.expireBefore(one.logicalMs);
          model = model.filter((record) => record.completed === null || record.expiresLogicalMs >= one.logicalMs);
        }
        expect([...deletions.values()]).toEqual(model);
        expect(deletions.pending()).toEqual(model.filter((record) => record.completed === null));
        for (let user = 0; user < 4; user++) {
          const ofUser = model.filter(({userHash}) => userHash === `hash of ${user}`);
          expect(deletions.newestOf(`hash of ${user}`)).toEqual(ofUser.at(-1));
        }
      });
    }),
    {numRuns: runs(500)},
  );
});

test('a record that is added again replaces the one before', () => {
  const deletions = new Deletions();
  for (const user of [1, 2]) deletions.apply(recordOf(user, 1, 0));
  deletions.apply({...recordOf(1, 1, 0), completed});
  expect(deletions.size).toBe(2);
  expect(deletions.newestOf('hash of 1')).toEqual(recordOf(2, 1, 0));
  deletions.expireBefore(1);
  expect([...deletions.values()]).toEqual([recordOf(2, 1, 0)]);
});

test('what is completed is to be put once, and a start has it all again (DR3)', async () => {
  const deletions = new Deletions();
  const kept = new KeptState();
  const stored = async () => (await kept.snapshot(deletions)).length;
  for (let n = 0; n < 3; n++) deletions.apply(recordOf(n, n % 2, 9));
  expect(await stored()).toBe(0);
  for (let n = 0; n < 2; n++) deletions.complete(`del_0_${n}`, completed);
  expect(await stored()).toBe(1);
  expect(await stored()).toBe(0);
  const restarted = await kept.restored(new Deletions());
  expect([...restarted.values()]).toEqual([...deletions.values()]);
  expect(restarted.newestOf('hash of 0')).toEqual(recordOf(2, 0, 9));
  expect([...restarted.toTell]).toEqual(['del_0_0', 'del_0_1']);
  expect(await kept.snapshot(restarted), 'nothing of it is put again').toEqual([]);
});

test('small parts are joined, without the records that expired, and one goes with its last record', async () => {
  const deletions = new Deletions();
  const kept = new KeptState();
  const steps: readonly [expiresMs: number, snapshotMs: number][] = [
    [100, 5],
    [12, 5],
    [50, 20],
  ];
  for (const [n, [expiresMs, snapshotMs]] of steps.entries()) {
    deletions.apply(recordOf(n, n, expiresMs));
    deletions.complete(`del_0_${n}`, completed);
    await kept.snapshot(deletions, snapshotMs);
  }
  const {parts} = kept.values.deletions as DeletionsState;
  expect(parts).toEqual([{block: 2, count: 2, note: 100}]);
  expect([...(await kept.restored(new Deletions())).values()].map(({id}) => id)).toEqual(['del_0_0', 'del_0_2']);
  await kept.snapshot(deletions, 101);
  expect((await kept.restored(new Deletions())).size).toBe(0);
});
