import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {cpSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {AdminClient, AdminFault} from '../src/cli/admin-client.js';
import {readServiceNote, writeServiceNote} from '../src/data-dir.js';
import {DataDirBusy, lockDataDir} from '../src/data-lock.js';
import {StartFault} from '../src/start-fault.js';
import {temporaryFolder} from './support/service.js';

/** Holders that lose the lock are part of some stories; one test looks at how they hear of it. */
const take = (folder: string) => lockDataDir(folder, () => {});

const lockFiles = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('lock'));
const recordOf = (folder: string) => {
  const path = join(folder, lockFiles(folder)[0]!);
  return {path, record: JSON.parse(readFileSync(path, 'utf8'))};
};

test('held until it is released', async () => {
  const folder = temporaryFolder();
  const lock = await take(folder);
  await expect(take(folder)).rejects.toThrow(DataDirBusy);
  lock.release();
  (await take(folder)).release();
  expect(lockFiles(folder)).toEqual(['lock.2']);
});

test('of many that want it at the same moment, one gets it', async () => {
  const folder = temporaryFolder();
  const outcomes = await Promise.allSettled(Array.from({length: 20}, () => take(folder)));
  expect(outcomes.filter(({status}) => status === 'fulfilled')).toHaveLength(1);
});

test('the lock of a process that is gone is taken over, also when its number was given away again', async () => {
  const folder = temporaryFolder();
  await take(folder);
  const {path, record} = recordOf(folder);
  const gone = spawn(process.execPath, ['-e', '']);
  await once(gone, 'exit');
  writeFileSync(path, JSON.stringify({...record, holders: [{pid: gone.pid, startTicks: '1'}]}));
  await take(folder);

  const next = recordOf(folder);
  // This very process, but started at another time: another process that once had its number.
  writeFileSync(next.path, JSON.stringify({...next.record, holders: [{pid: process.pid, startTicks: '1'}]}));
  await take(folder);
  expect(lockFiles(folder)).toEqual(['lock.3']);
});

test('while a child of a killed holder lives, the lock waits for it', async () => {
  const folder = temporaryFolder();
  const lock = await take(folder);
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {stdio: ['pipe', 'ignore', 'ignore']});
  lock.addHolder(child.pid!);
  const {path, record} = recordOf(folder);
  writeFileSync(path, JSON.stringify({...record, holders: [{pid: 999_999_999, startTicks: '1'}, record.holders[1]]}));

  let isTaken = false;
  const taking = take(folder).then(() => (isTaken = true));
  // Any number of turns would do: the wait ends by the child's end alone.
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  expect(isTaken).toBe(false);
  child.stdin.end();
  await taking;
  expect(child.exitCode ?? child.signalCode ?? 'seen dead before its exit was reported').not.toBeNull();
});

describe.concurrent('a lock that is not of here is judged by its heartbeat, which takes five seconds:', () => {
  for (const [what, strange] of [
    ['of another container, or before a reboot', {pidSpace: 'another container'}],
    ['of a volume that was mounted as another device', {folder: '99:2'}],
  ] as const) {
    test(what, async () => {
      const folder = temporaryFolder();
      const lock = await take(folder);
      const {path, record} = recordOf(folder);
      writeFileSync(path, JSON.stringify({...record, ...strange}));
      await expect(take(folder)).rejects.toThrow(DataDirBusy); // It beats.
      lock.release();
      writeFileSync(path, JSON.stringify({...record, ...strange}));
      (await take(folder)).release();
    });
  }

  test('a copy of a folder that is in use holds nothing, and the original stays held, under all of its names', async () => {
    const folder = temporaryFolder();
    const lock = await take(folder);
    const copy = join(temporaryFolder(), 'copy');
    cpSync(folder, copy, {recursive: true, preserveTimestamps: true});
    (await take(copy)).release();
    const link = join(temporaryFolder(), 'link');
    symlinkSync(folder, link);
    const moved = `${folder}-moved`;
    await expect(take(folder)).rejects.toThrow(DataDirBusy);
    await expect(take(link)).rejects.toThrow(DataDirBusy);
    renameSync(folder, moved);
    await expect(take(moved)).rejects.toThrow(DataDirBusy);
    renameSync(moved, folder);
    lock.release();
  });
});

test('programs of the command line that work on a copy do not talk to the service of the original', () => {
  const folder = temporaryFolder();
  writeServiceNote(folder, {
    baseUrl: 'http://127.0.0.1:1',
    adminUrl: 'http://127.0.0.1:1',
    token: 'of-the-original',
    deployment: 'd',
    pid: 1,
  });
  const copy = join(temporaryFolder(), 'copy');
  cpSync(folder, copy, {recursive: true});
  expect(readServiceNote(folder)?.baseUrl).toBe('http://127.0.0.1:1');
  expect(readServiceNote(copy)).toBeUndefined();
  expect(() => AdminClient.of(copy)).toThrow(AdminFault);
});

test('a record that was cut short by a crash holds nothing', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'lock.7'), '{"holders":[{"pi');
  await take(folder);
  expect(lockFiles(folder)).toEqual(['lock.8']);
});

describe('a holder is told once', () => {
  async function told(spoil: (lock: string) => void): Promise<readonly string[]> {
    const folder = temporaryFolder();
    const losses: string[] = [];
    const first = new Promise<void>((resolve) => {
      void lockDataDir(folder, (why) => {
        losses.push(why);
        resolve();
      });
    });
    spoil(join(folder, 'lock.1'));
    await first;
    return losses;
  }

  test('that its lock vanished', async () => {
    expect(await told((lock) => rmSync(lock))).toEqual(['is gone']);
  });

  test('that its lock cannot be renewed', async () => {
    const loop = (lock: string): void => {
      rmSync(lock);
      symlinkSync(lock, lock); // A link to itself, as no disk here fails on demand.
    };
    expect(await told(loop)).toEqual([expect.stringMatching(/^cannot be renewed \(ELOOP/)]);
  });
});

test('a folder that cannot be locked is named in one line, and stays as it was', async () => {
  const folder = temporaryFolder();
  const draft = join(folder, `lock-draft.${process.pid}`);
  symlinkSync(draft, draft);
  const cause = take(folder);
  await expect(cause).rejects.toThrow(StartFault);
  await expect(cause).rejects.toThrow(`DATA_DIR ${folder} cannot be locked: ELOOP`);
  expect(lockFiles(folder)).toEqual([]);
});
