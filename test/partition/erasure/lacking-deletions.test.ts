// A backup from before the deletion of a name is restored: the journal has the deletion, and the data has the events again.
import {expect, test} from 'vitest';
import {nameKey, writeEraseOfKey, writeEvent} from '../../../actors/log/entries.js';
import {createLogger} from '../../../src/observe.js';
import {type JournaledDeletion, noJournal} from '../../../src/partition/erasure/deletion-journal.js';
import {eraseLacking} from '../../../src/partition/erasure/lacking-deletions.js';
import type {LogWriter} from '../../../src/partition/log/log-writer.js';
import {MemoryShell} from '../../support/memory-shell.js';

const day = Date.UTC(2026, 4, 1);

test('the events of a name that was deleted are deleted again, and with its receipt', async () => {
  const shell = new MemoryShell();
  for (const event of ['junk', 'kept', 'junk'])
    await shell.append((writer) => writeEvent(writer, {event, userId: 'u', timeMs: day, receivedMs: day}));
  const {partition} = shell;
  const deletion = (id: string, key: Uint8Array): JournaledDeletion => ({
    id,
    user: partition.hashOf(key),
    devices: [],
    position: {generation: 1, sequence: 9},
    expiresLogicalMs: Number.MAX_SAFE_INTEGER,
    timeMs: day,
  });
  const records = [deletion('del_0_name', nameKey('junk')), deletion('del_0_other', nameKey('never seen'))];
  const writer = {
    erase: async (erasures: readonly {key: Uint8Array; id: string}[]) => {
      for (const {key, id} of erasures) await shell.append((to) => writeEraseOfKey(to, key, id, day));
    },
  } as unknown as LogWriter;
  const setup = {
    partition,
    writer,
    journal: {...noJournal, read: async () => records},
    log: createLogger('silent', 'test'),
  };
  (await eraseLacking(setup))!.report();

  const {names} = partition.tables;
  const left = Array.from({length: names.count}, (_, name) => name).filter((name) => names.has(name));
  expect(left.map((name) => names.text(name))).toEqual(['kept']);
  expect(partition.deletions.get('del_0_name')?.eventsDeleted).toBe(2);
  expect(partition.deletions.get('del_0_other')?.eventsDeleted).toBe(0);

  const before = partition.appliedSequence;
  expect(await eraseLacking(setup)).toBeUndefined();
  expect(partition.appliedSequence, 'no start repeats it').toBe(before);
});
