// Why rows are not there: their users were deleted, or moved to the partition of their owner.
import {expect, test} from 'vitest';
import {writeErase, writeEvent, writeLink} from '../../../actors/log/entries.js';
import {withAbsences} from '../../../src/partition/reads/absent-rows.js';
import {HistoryReads} from '../../../src/partition/reads/history-reads.js';
import {longReadSlots, readPage} from '../../../src/partition/reads/read-budget.js';
import {MemoryShell} from '../../support/memory-shell.js';

const day = Date.UTC(2026, 4, 1);

test('a row whose user moved is at its owner, until the owner is deleted; one whose user was deleted is nowhere', async () => {
  const [home, away] = [0, 1].map((partition) => new MemoryShell(undefined, {partition, partitions: 2}));
  const names = Array.from({length: 50}, (_, n) => `ann${n}`);
  const owner = names.find((name) => home!.partition.identity.homeOf(Buffer.from(`u${name}`)) === 1)!;
  for (const who of [{anonymousId: 'phone'}, {userId: 'bob'}])
    await home!.append((writer) =>
      writeEvent(writer, {event: 'seen', ...who, timeMs: day, receivedMs: day, properties: {}}),
    );
  const rows = new HistoryReads(home!.readable(1_024 * 1_024));
  const {users} = await readPage(longReadSlots(), Number.POSITIVE_INFINITY, (budget) => rows.events([0, 1, 2], budget));
  expect(users).toEqual([0, 1, null]);
  const gone = {ordinals: [0, 1], events: [null, null], users: [null, null]};
  const absences = () => withAbsences(home!.partition, gone, {generation: 1, users: [0, 1]}).absences;

  await home!.append((writer) => writeLink(writer, 'phone', owner, day));
  await home!.leave();
  await home!.publish();
  await home!.sendTo(away!, home!.partition.moves.pending[0]!);
  home!.settle(await away!.publish());
  await home!.append((writer) => writeErase(writer, 'u', 'bob', 'del1', day));
  expect(absences()).toEqual([{why: 'moved', partition: 1, userId: owner}, {why: 'erased'}]);

  await home!.append((writer) => writeErase(writer, 'u', owner, 'del2', day));
  expect(absences()).toEqual([{why: 'erased'}, {why: 'erased'}]);
});

test('a row of a generation that the log lost is not answered by the one that has its ordinal now', async () => {
  const {partition} = new MemoryShell();
  const there = {ordinals: [0, 5, 6], events: ['a', 'b', 'c'], users: [1, 2, 3]};
  const was = {generation: 1, users: [1, 2, 3]};
  partition.generations = [
    {generation: 1, ordinal: 0, users: 0},
    {generation: 2, ordinal: 6, users: 0},
  ];
  expect(withAbsences(partition, there, was)).toEqual({
    kind: 'bodies',
    events: ['a', 'b', null],
    users: [1, 2, null],
    absences: [null, null, {why: 'lost'}],
  });
  expect(withAbsences(partition, there, {...was, generation: 2}).events).toEqual(['a', 'b', 'c']);
});
