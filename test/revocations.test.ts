// What was revoked after a backup, where the backup is restored: a bucket that goes back to what it was.
import {appendFileSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, expect, test} from 'vitest';
import {FileLines} from '../src/journal-lines.js';
import {KeptStore} from '../src/kept/kept-store.js';
import {type Share, sharesOf} from '../src/kept/share.js';
import {BucketFault} from '../src/keys/key-bucket.js';
import {KeyStore} from '../src/keys/store.js';
import {RevocationRecords, revocationsName} from '../src/revocations.js';
import {MemoryBucket} from './support/memory-bucket.js';
import {temporaryFolder} from './support/service.js';

const dayMs = 86_400_000;
let folder: string;
let nowMs: number;
let lines: string[];

beforeEach(() => {
  folder = join(temporaryFolder(), 'deletions');
  nowMs = 1_700_000_000_000;
  lines = [];
});

async function start(keysIn: MemoryBucket, hooksIn: MemoryBucket, isRestored = false) {
  const clock = (): number => (nowMs += 1_000);
  const note = (fields: object, line: string): void => void lines.push(`${line} ${JSON.stringify(fields)}`);
  const journal = new RevocationRecords(new FileLines(join(folder, revocationsName), clock), clock, {
    warn: note,
    error: note,
  } as never);
  const keys = await KeyStore.open(keysIn, clock, undefined, journal);
  const store = await KeptStore.open(hooksIn, clock);
  await keys.signIn.ensure();
  await journal.repeat(keys, store, isRestored);
  return {keys, store, journal};
}

const link = {hash: 'abc', name: 'Growth', of: {page: '/trends', search: ''}} as unknown as Omit<Share, 'v' | 'id'>;

test('a start with a restored backup revokes keys, tokens of people and links again, and ends all sessions', async () => {
  const [keysIn, hooksIn] = [new MemoryBucket(), new MemoryBucket()];
  const {keys, store, journal} = await start(keysIn, hooksIn);
  const [key, kept] = [await keys.create('read', 'reports'), await keys.create('read', 'others')];
  const person = await keys.createPerson('Ada', {role: 'admin', untilMs: null});
  const [gone, stays] = [await sharesOf(store).create(link), await sharesOf(store).create({...link, hash: 'def'})];
  const backup = [keysIn.copy(), hooksIn.copy()] as const;

  for (const id of [key.record.id, person.record.id]) await keys.revoke(id);
  await sharesOf(store).remove(gone.id);
  await journal.add({what: 'share', id: gone.id});
  expect(statSync(join(folder, revocationsName)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, revocationsName), 'utf8')).not.toContain(key.record.hash);

  const restored = await start(...backup);
  expect([key, person, kept].map(({record}) => restored.keys.ring.get(record.id)?.revokedMs !== null)).toEqual([
    true,
    true,
    false,
  ]);
  expect(sharesOf(restored.store).list()).toEqual([stays]);
  expect(restored.keys.signIn.notBeforeMs).toBeGreaterThan(keys.signIn.notBeforeMs);
  expect(lines).toEqual([expect.stringMatching(/revoked again.*sessions.* {"keys":2,"links":1}$/)]);
  // From then on the data has them: a later start repeats nothing, and ends no session.
  const {notBeforeMs} = restored.keys.signIn;
  const later = await start(...backup);
  expect(later.keys.signIn.notBeforeMs).toBe(notBeforeMs);
  expect(lines).toHaveLength(1);
});

test('a start that NATS leaves in the midst of it has the next one do the rest, sessions too', async () => {
  const [keysIn, hooksIn] = [new MemoryBucket(), new MemoryBucket()];
  const {keys} = await start(keysIn, hooksIn);
  const {record} = await keys.create('read', 'reports');
  const backup = [keysIn.copy(), hooksIn.copy()] as const;
  await keys.revoke(record.id);
  const {write} = backup[0];
  let writes = 0;
  backup[0].write = async (...parts) => {
    if (++writes === 2) throw new BucketFault('away');
    return write.apply(backup[0], parts);
  };
  await expect(start(...backup)).rejects.toThrow(BucketFault);
  const {ring, signIn} = (await start(...backup)).keys;
  expect(ring.get(record.id)?.revokedMs).not.toBeNull();
  expect(signIn.notBeforeMs).toBeGreaterThan(0);
});

test('sessions that were ended after the backup are ended again, and those of a restored one in any case', async () => {
  const [keysIn, hooksIn] = [new MemoryBucket(), new MemoryBucket()];
  const {keys} = await start(keysIn, hooksIn);
  const backup = [keysIn.copy(), hooksIn.copy()] as const;
  const other = [keysIn.copy(), hooksIn.copy()] as const;
  await keys.endSessions();
  const {notBeforeMs} = keys.signIn;
  expect((await start(keysIn, hooksIn)).keys.signIn.notBeforeMs).toBe(notBeforeMs);
  expect((await start(...backup)).keys.signIn.notBeforeMs).toBeGreaterThan(notBeforeMs);
  folder = join(temporaryFolder(), 'none');
  expect((await start(other[0].copy(), other[1])).keys.signIn.notBeforeMs).toBe(0);
  expect((await start(...other, true)).keys.signIn.notBeforeMs).toBeGreaterThan(notBeforeMs);
});

test('a line that a crash cut short is told, and harms no other; lines of 400 days ago are removed', async () => {
  const [keysIn, hooksIn] = [new MemoryBucket(), new MemoryBucket()];
  const {keys} = await start(keysIn, hooksIn);
  const [first, second] = [await keys.create('read', 'first'), await keys.create('read', 'second')];
  const backup = [keysIn.copy(), hooksIn.copy()] as const;
  await keys.revoke(first.record.id);
  appendFileSync(join(folder, revocationsName), '{"what":"key","id":"key_1');
  await keys.revoke(second.record.id);
  const again = await start(backup[0].copy(), backup[1].copy());
  for (const {record} of [first, second]) expect(again.keys.ring.get(record.id)?.revokedMs).not.toBeNull();
  expect(lines[0]).toMatch(/cannot be read.*{"lines":1}/);
  nowMs += 401 * dayMs;
  await start(...backup);
  expect(readFileSync(join(folder, revocationsName), 'utf8')).not.toContain(first.record.id);
});

test('a journal that cannot be written stops no revocation', async () => {
  const file = join(temporaryFolder(), 'a-file');
  writeFileSync(file, '');
  folder = join(file, 'deletions');
  const {keys} = await start(new MemoryBucket(), new MemoryBucket());
  const {record} = await keys.create('read', 'reports');
  expect((await keys.revoke(record.id))?.revokedMs).not.toBeNull();
  expect(lines).toEqual([expect.stringMatching(/^the journal of revocations cannot be written/)]);
});
