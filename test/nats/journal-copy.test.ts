// The journals of several processes beside one NATS: a stream, and the folder of each.
import {appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {afterAll, afterEach, beforeAll, beforeEach, expect, test} from 'vitest';
import {DeletionRecords, deletionsName, newKey, writeKey} from '../../src/deletions-dir.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {copyJournal, type JournalCopy, StreamLines} from '../../src/nats/journal-copy.js';
import {ensureJournal, journalStream} from '../../src/nats/topology.js';
import {createLogger, type Logger} from '../../src/observe.js';
import type {JournaledDeletion} from '../../src/partition/erasure/deletion-journal.js';
import {RevocationRecords, revocationsName} from '../../src/revocations.js';
import {startTestNats, type TestNats} from '../support/nats.js';
import {temporaryFolder} from '../support/service.js';
import {until} from '../support/until.js';

const log = createLogger('silent', 'test');
const dayMs = 86_400_000;
let server: TestNats;
let nc: NatsConnection;
let warnings: string[];
const copies: JournalCopy[] = [];

beforeAll(async () => {
  server = await startTestNats(1);
  nc = await connectNats(server.nats.address, 'test-journal');
});

afterAll(async () => {
  await nc.close();
  await server.stop();
});

beforeEach(async () => {
  warnings = [];
  await ensureJournal(nc, 1);
});

const stopAll = async (): Promise<void> => {
  for (const copy of copies.splice(0)) await copy.stop();
};

afterEach(async () => {
  await stopAll();
  await loseStream();
});

/** NATS goes back to a backup from before the first line. */
const loseStream = async (): Promise<void> => void (await (await jetstreamManager(nc)).streams.delete(journalStream));

const newFolder = (): string => join(temporaryFolder(), 'deletions');

/** A process that folds, on its folder. */
async function start(folder = newFolder()): Promise<{folder: string; deletions: DeletionRecords}> {
  const logger = {...log, warn: (_: object, line: string) => warnings.push(line)} as unknown as Logger;
  copies.push(await copyJournal(nc, folder, logger));
  return {folder, deletions: new DeletionRecords(folder, 3, log, new StreamLines(nc, deletionsName(3)))};
}

const deletion = (of: DeletionRecords, n: number, ageDays = 0): JournaledDeletion => ({
  id: `del_3_${n}`,
  user: of.hashOf(`hash of user ${n}`),
  devices: [],
  position: {generation: 1, sequence: n},
  expiresLogicalMs: n,
  timeMs: Date.now() - ageDays * dayMs,
});

const textIn = (folder: string, name = deletionsName(3)): string =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '';

test('each process reads what any of them wrote, and its folder has it under the same key', async () => {
  const [one, other] = [await start(), await start()];
  const added = [deletion(one.deletions, 1), deletion(other.deletions, 2)];
  await one.deletions.add([added[0]!]);
  await other.deletions.add([added[1]!]);
  expect(await one.deletions.read()).toEqual(added);
  expect(await new DeletionRecords(other.folder, 4, log, new StreamLines(nc, deletionsName(4))).read()).toEqual([]);
  await until('the folders follow', () => [one, other].every(({folder}) => textIn(folder).includes('del_3_2')));
  expect(textIn(one.folder)).toBe(textIn(other.folder));
  expect(await new DeletionRecords(other.folder, 3, log).read()).toEqual(added); // As a process of its own nats-server reads it.
  const late = await start();
  expect(textIn(late.folder)).toBe(textIn(one.folder));
  expect(late.deletions.hashOf('hash of user 1')).toBe(added[0]!.user);
  expect(warnings).toEqual([]);
});

test('where NATS was restored, the folder of any one process brings back the lines of all', async () => {
  const [one, other] = [await start(), await start()];
  const revocations = new RevocationRecords(new StreamLines(nc, revocationsName), Date.now, log);
  const added = [deletion(one.deletions, 1), deletion(one.deletions, 2)];
  await one.deletions.add(added);
  await revocations.add({what: 'key', id: 'key_1'});
  await until('the other folder follows', () => textIn(other.folder, revocationsName).includes('key_1'));
  await until('the other folder follows', () => textIn(other.folder).includes('del_3_2'));
  await stopAll();
  await loseStream();
  await ensureJournal(nc, 1);
  await start(other.folder);
  expect(warnings).toEqual([expect.stringContaining('a backup was restored?')]);
  const fresh = await start();
  expect(await fresh.deletions.read()).toEqual(added);
  expect(await new StreamLines(nc, revocationsName).read()).toEqual([expect.stringContaining('key_1')]);
  // The first one has nothing to bring, and each line is there once.
  await start(one.folder);
  expect(warnings).toHaveLength(1);
  for (const folder of [one.folder, other.folder, fresh.folder])
    expect(textIn(folder).match(/del_3_/g)).toHaveLength(2);
});

test('a line that a crash cut short, or of 400 days ago, is not brought', async () => {
  const {folder, deletions} = await start();
  const kept = deletion(deletions, 2, 399);
  await deletions.add([deletion(deletions, 1, 401), kept]);
  await until('the folder follows', () => textIn(folder).includes('del_3_2'));
  await stopAll();
  appendFileSync(join(folder, deletionsName(3)), '{"id":"del_3_9","us');
  await start(folder);
  const again = await start();
  expect(await again.deletions.read()).toEqual([kept]);
  expect(textIn(again.folder)).not.toContain('del_3_1');
  await loseStream();
  await ensureJournal(nc, 1);
  await start(folder);
  expect(await new StreamLines(nc, deletionsName(3)).read()).toEqual([expect.stringContaining('del_3_2')]);
});

test('a folder with the key of another deployment is refused', async () => {
  await start();
  const folder = newFolder();
  mkdirSync(folder, {recursive: true});
  writeKey(folder, newKey());
  await expect(start(folder)).rejects.toThrow('of another deployment than this NATS');
  writeFileSync(join(folder, 'key'), 'short\n');
  await expect(start(folder)).rejects.toThrow('is not the key of a journal');
  expect(readdirSync(folder)).toEqual(['key']);
});
