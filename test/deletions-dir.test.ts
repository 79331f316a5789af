import {appendFileSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, expect, test} from 'vitest';
import {checkDeletionsDir, copyDeletions, DeletionRecords, newestDeletionMs} from '../src/deletions-dir.js';
import {createLogger} from '../src/observe.js';
import type {JournaledDeletion} from '../src/partition/erasure/deletion-journal.js';
import {StartFault} from '../src/start-fault.js';
import {temporaryFolder} from './support/service.js';

const dayMs = 86_400_000;
const log = createLogger('silent', 'test');
let folder: string;

beforeEach(() => {
  folder = join(temporaryFolder(), 'deletions');
});

const journal = () => new DeletionRecords(folder, 3, log);
const deletion = (n: number, ageDays = 0): JournaledDeletion => ({
  id: `del_3_${n}`,
  user: journal().hashOf(`hash of user ${n}`),
  devices: [journal().hashOf(`hash of device ${n}`)],
  position: {generation: 1, sequence: n},
  expiresLogicalMs: n,
  timeMs: Date.now() - ageDays * dayMs,
});

test('what was added is read again, by another process too; files are for their owner, and name nobody', async () => {
  const added = [deletion(1), deletion(2)];
  await journal().add([added[0]!]);
  await journal().add([added[1]!]);
  expect(await journal().read()).toEqual(added);
  expect(newestDeletionMs(folder, 3)).toBe(added[1]!.timeMs);
  expect([await new DeletionRecords(folder, 4, log).read(), newestDeletionMs(folder, 4)]).toEqual([[], undefined]);
  expect(readdirSync(folder).sort()).toEqual(['key', 'partition-3.ndjson']);
  for (const name of readdirSync(folder)) {
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, name), 'utf8')).not.toContain('hash of user');
  }
});

test('the key is made once: hashes stay, and another journal has others', () => {
  const hash = journal().hashOf('a user');
  expect(journal().hashOf('a user')).toBe(hash);
  expect(hash).toMatch(/^[0-9a-f]{32}$/);
  folder = join(temporaryFolder(), 'deletions');
  expect(journal().hashOf('a user')).not.toBe(hash);
});

test('a line that a crash cut short costs itself alone', async () => {
  const added = [deletion(1), deletion(2)];
  await journal().add([added[0]!]);
  appendFileSync(join(folder, 'partition-3.ndjson'), '{"id":"del_3_9","us');
  expect(newestDeletionMs(folder, 3)).toBe(added[0]!.timeMs);
  await journal().add([added[1]!]);
  expect(await journal().read()).toEqual(added);
});

test('records are kept for 400 days', async () => {
  await journal().add([deletion(1, 401), deletion(2, 399)]);
  await journal().add([deletion(3)]);
  expect((await journal().read()).map(({id}) => id)).toEqual(['del_3_2', 'del_3_3']);
});

test('a copy is a journal with the same hashes', async () => {
  const added = deletion(1);
  await journal().add([added]);
  const copy = join(temporaryFolder(), 'copy');
  expect(await copyDeletions(folder, copy)).toBe(true);
  expect(await new DeletionRecords(copy, 3, log).read()).toEqual([added]);
  expect(new DeletionRecords(copy, 3, log).hashOf('hash of user 1')).toBe(added.user);
  expect(await copyDeletions(join(folder, 'nothing'), join(copy, 'more'))).toBe(false);
});

test('a folder that is emptied meanwhile has records and their key again', async () => {
  const [early, late] = [journal(), journal()];
  await early.add([deletion(1)]);
  rmSync(folder, {recursive: true});
  await late.add([deletion(2)]);
  // Its hashes are of the key that is gone. Whoever writes tries again, from the hashes on.
  await expect(early.add([deletion(3)])).rejects.toThrow('has changed: records with the earlier key');
  await early.add([deletion(3)]);
  expect((await journal().read()).map(({id}) => id)).toEqual(['del_3_2', 'del_3_3']);

  const others = [deletion(4), deletion(5)];
  rmSync(join(folder, 'key'));
  await expect(journal().add([others[0]!])).rejects.toThrow('the key of the journal of deletions is missing');
  await early.add([others[1]!]);
  expect((await journal().read()).map(({id}) => id)).toEqual(['del_3_2', 'del_3_3', 'del_3_5']);
});

test('records of another key are told, and not taken for deletions of nobody', async () => {
  await journal().add([deletion(1)]);
  writeFileSync(join(folder, 'key'), `${Buffer.alloc(32, 7).toString('base64url')}\n`);
  await expect(journal().read()).rejects.toThrow(StartFault);
  await expect(journal().read()).rejects.toThrow(/has records of another key than .*key, and cannot be read with it/);
  await expect(journal().add([deletion(2)])).rejects.toThrow(StartFault);
});

test('a start is refused where the journal could not be written, or names nobody any more', async () => {
  expect(() => checkDeletionsDir(folder)).not.toThrow(); // It is made with the first deletion.
  expect(() => checkDeletionsDir('/proc/1/deletions')).toThrow(/^DELETIONS_DIR \/proc\/1\/deletions is not writable/);
  await journal().add([deletion(1)]);
  const whole = `${folder}-whole`;
  cpSync(folder, whole, {recursive: true});
  rmSync(join(folder, 'key'));
  expect(() => checkDeletionsDir(folder)).toThrow(StartFault);
  expect(() => checkDeletionsDir(folder)).toThrow('the key of the journal of deletions is missing');
  writeFileSync(join(folder, 'key'), 'short\n');
  expect(() => checkDeletionsDir(folder)).toThrow('is not the key of a journal');
  expect(() => checkDeletionsDir(whole)).not.toThrow();
});
