// A deletion that goes on from partition to partition: each of its steps is folded once.
import {expect, test} from 'vitest';
import {writeErase, writeEvent, writeTick} from '../../../actors/log/entries.js';
import {MemoryShell} from '../../support/memory-shell.js';

const day = Date.UTC(2026, 4, 1);

test('a step that an owner appended again changes nothing; the last one takes what came between', async () => {
  const shell = new MemoryShell();
  const {partition} = shell;
  const visit = () =>
    shell.append((writer) => writeEvent(writer, {event: 'x', userId: 'ann', timeMs: day, receivedMs: day}));
  const step = (onward: readonly number[]) =>
    shell.append((writer) => writeErase(writer, 'u', 'ann', 'del', day, onward));
  const left = () => partition.users.table.live;
  await visit();
  await step([0]);
  await visit();
  await step([0]);
  expect(left()).toBe(1);
  await step([]);
  expect(left()).toBe(0);
  await visit();
  for (const onward of [[0], []]) await step(onward);
  expect(left()).toBe(1);
  expect(partition.deletions.get('del')?.eventsDeleted).toBe(2);
});

test('a step that was appended again has the log cleaned: it names the user', async () => {
  const shell = new MemoryShell();
  const {partition} = shell;
  const step = () => shell.append((writer) => writeErase(writer, 'u', 'ann', 'del', day, []));
  await step();
  expect(partition.deletions.hasErasedInLog).toBe(false);
  await step();
  expect(partition.deletions.hasErasedInLog).toBe(true);
  partition.deletions.logCleaned(partition.appliedSequence);
  expect(partition.deletions.hasErasedInLog).toBe(false);
});

test('its record names the user until the next log has it, also after a start', async () => {
  const shell = new MemoryShell();
  await shell.append((writer) => writeErase(writer, 'u', 'ann\ud800', 'del', day, [2, 1]));
  await shell.append((writer) => writeTick(writer, day, 1_000, 1));
  const {partition} = await shell.restarted();
  expect(partition.deletions.pending()).toMatchObject([
    {id: 'del', onward: {key: 'uann\ud800', partitions: [2, 1]}, stepsLeft: 2},
  ]);
  partition.deletions.wentOn('del');
  expect(partition.deletions.pending()[0]).not.toHaveProperty('onward');
  expect(partition.deletions.pending()).toMatchObject([{id: 'del', stepsLeft: 2}]);
});
