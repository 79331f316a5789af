// Changes that depend on the version that the client read, over a bucket whose watch tells two processes nothing after their start.
import {describe, expect, test} from 'vitest';
import {RequestFailure} from '../../src/edge/failure.js';
import {changeMeant, etagOf, isHeld, meantVersion, removeMeant} from '../../src/edge/routes/if-match.js';
import {versionOfWebhook} from '../../src/edge/routes/webhook-body.js';
import {KeptStore} from '../../src/kept/kept-store.js';
import type {Endpoint} from '../../src/webhooks/endpoint.js';
import {MemoryBucket} from '../support/memory-bucket.js';

const content: Omit<Endpoint, 'v' | 'id' | 'createdMs'> = {
  kind: 'webhook',
  url: 'https://hooks.example.com/',
  types: [{type: 'user.deleted'}],
  state: 'active',
  reason: null,
  secrets: [{value: 'whsec_AAAA'}],
  batch: {events: 1, ms: 0},
  ordered: false,
};

const paused = (endpoint: Endpoint): Endpoint => ({...endpoint, state: 'paused'});
const ordered = (endpoint: Endpoint): Endpoint => ({...endpoint, ordered: true});

/** Two processes that know a webhook, and what means the version that a client read. */
async function twoProcesses() {
  const bucket = new MemoryBucket();
  const here = (await KeptStore.open(bucket, () => 0)).endpoints;
  const read = await here.create(content);
  const there = (await KeptStore.open(bucket, () => 0)).endpoints;
  const meaning =
    (meant: Endpoint) =>
    (known: Endpoint): boolean =>
      meantVersion({ifMatch: etagOf(versionOfWebhook(meant))[1]})!(versionOfWebhook(known));
  return {here, there, read, meaning};
}

describe('a change', () => {
  test('of another version than the client read is not made, though the process has not heard of that version', async () => {
    const {here, there, read, meaning} = await twoProcesses();
    const changed = await here.change(read.id, paused);
    const late = await changeMeant(there, read.id, meaning(read), ordered);
    expect(late).toEqual({definition: changed, isOutdated: true});
    expect(await removeMeant(here, read.id, meaning(read))).toEqual({definition: changed, isOutdated: true});
    expect(here.get(read.id)).toEqual(changed);
  });

  test('of the version that the client read elsewhere is made', async () => {
    const {here, there, read, meaning} = await twoProcesses();
    const changed = await here.change(read.id, paused);
    const edited = await changeMeant(there, read.id, meaning(changed!), ordered);
    expect(edited).toEqual({definition: {...changed, ordered: true}, isOutdated: false});
    expect(await removeMeant(here, read.id, meaning(edited!.definition))).toMatchObject({isOutdated: false});
    expect(here.get(read.id)).toBeUndefined();
    expect(await changeMeant(there, read.id, meaning(read), ordered)).toBeUndefined();
  });

  test('that means no version is made to whatever there is', async () => {
    const {here, there, read} = await twoProcesses();
    await here.change(read.id, paused);
    const {definition} = (await changeMeant(there, read.id, undefined, ordered))!;
    expect(definition).toMatchObject({state: 'paused', ordered: true});
  });
});

test('the version of a webhook is that of what clients edit', async () => {
  const {read} = await twoProcesses();
  const version = versionOfWebhook(read);
  expect(version).toMatch(/^[\w-]{22}$/);
  const same: Endpoint = {...read, secrets: [], maxLagMs: 86_400_000, earlier: [{types: read.types, ends: []}]};
  expect(versionOfWebhook(same)).toBe(version);
  const edits: readonly Partial<Endpoint>[] = [
    {url: 'https://hooks.example.com/2'},
    {types: [{type: 'user.identified'}]},
    {types: [{type: 'user.deleted', names: ['a']}]},
    {batch: {events: 2, ms: 0}},
    {batch: {events: 1, ms: 1}},
    {ordered: true},
    {maxLagMs: 60_000},
    {state: 'paused'},
    {state: 'disabled', reason: 'it answered 410'},
  ];
  const versions = edits.map((edit) => versionOfWebhook({...read, ...edit}));
  expect(new Set([version, ...versions]).size).toBe(edits.length + 1);
});

describe('If-Match', () => {
  test.each([
    ['"a"', true],
    ['W/"a"', true],
    ['"b", "a"', true],
    ['"b",W/"a"', true],
    [' "a" ', true],
    ['"b"', false],
    ['""', false],
    ['"a-gzip"', false],
    ['"a",', true],
    [',"a"', true],
    ['"b",,\t, W/"a" , ', true],
    ['"b",', false],
    ['"a,b"', false],
  ])('%s fits "a": %s', (ifMatch, fits) => {
    expect(meantVersion({ifMatch})!('a')).toBe(fits);
  });

  test('that is absent or a star means any version', () => {
    expect([meantVersion({ifMatch: undefined}), meantVersion({ifMatch: '*'})]).toEqual([undefined, undefined]);
  });

  test.each(['', ',', ' , ', 'a', '"a', '"a" "b"', '"a", b', '"a"b"', '*, "a"', 'w/"a"'])('%j is no tag', (ifMatch) => {
    expect(() => meantVersion({ifMatch})).toThrow(RequestFailure);
  });
});

test.each<[string | undefined, boolean]>([
  [undefined, false],
  ['', false],
  ['"b"', false],
  ['"a"', true],
  ['"b", "a"', true],
  [' * ', true],
  ['a', false],
])('If-None-Match %j names what has the tag "a": %s', (ifNoneMatch, held) => {
  expect(isHeld({ifNoneMatch}, etagOf('a'))).toBe(held);
});
