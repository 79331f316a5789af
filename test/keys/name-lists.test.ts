// The lists of names over a fake bucket that two edges share.
import {expect, test} from 'vitest';
import {NameLists} from '../../src/keys/name-lists.js';
import {MemoryBucket} from '../support/memory-bucket.js';

test('each list is replaced as a whole, and leaves the others as they are, whichever edge writes', async () => {
  const bucket = new MemoryBucket();
  const [one, other] = [new NameLists(bucket), new NameLists(bucket)];
  await one.set('names', ['a', 'b']);
  await other.set('properties', ['p']); // It had not heard of the first change.
  await other.set('titles', ['t']);
  await one.set('names', ['c']);
  expect([one.names, one.properties, one.titles]).toEqual([['c'], ['p'], ['t']]);
  other.take(bucket.entry);
  expect([other.names, other.properties]).toEqual([['c'], ['p']]);
});

test('a list is replaced if it is the one that is meant, which the edge reads first', async () => {
  const bucket = new MemoryBucket();
  const [one, other] = [new NameLists(bucket), new NameLists(bucket)];
  await one.set('names', ['a']);
  const isMeant = (known: readonly string[]): boolean => known.join() === 'a';
  expect(await other.set('names', ['b'], isMeant)).toBe(true); // It had not heard of the first change.
  expect(await one.set('names', ['c'], isMeant)).toBe(false);
  expect([one.names, other.names]).toEqual([['b'], ['b']]);
});

test('an older revision changes nothing; a bucket that lost its last changes is believed after a reconnect', async () => {
  const bucket = new MemoryBucket();
  const record = new NameLists(bucket);
  await record.set('names', ['a']);
  const old = bucket.entry;
  await record.set('names', ['b']);
  record.take(old);
  expect(record.names).toEqual(['b']);
  record.replace(old);
  expect(record.names).toEqual(['a']);
  record.replace(undefined);
  expect([record.names, record.properties, record.titles]).toEqual([[], [], ['name', 'email', 'username']]);
});
