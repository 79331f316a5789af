// What a resource does where its store is full, or does not answer: over a bucket in memory.
import {expect, test} from 'vitest';
import type {KeptName} from '../../src/edge/dashboard/answers/record.js';
import type {Failure} from '../../src/edge/failure.js';
import {unavailable} from '../../src/edge/failure.js';
import type {Front} from '../../src/edge/front.js';
import type {Exchange} from '../../src/edge/http/exchange.js';
import {resources} from '../../src/edge/resources/all.js';
import {KeptStore} from '../../src/kept/kept-store.js';
import {ShareReads} from '../../src/kept/share-reads.js';
import {type BucketEntry, BucketFault, type RecordBucket} from '../../src/keys/key-bucket.js';
import {digested, keptKinds} from '../support/kept-kinds.js';

/** `isSilent`: writes are tried, and nobody knows what became of them. */
class Bucket implements RecordBucket {
  isSilent = false;
  private revision = 0;

  constructor(private readonly entries: readonly BucketEntry[]) {}

  async watch({all}: Parameters<RecordBucket['watch']>[0]): Promise<void> {
    all(this.entries);
  }

  async write(): Promise<number> {
    if (this.isSilent) throw new BucketFault('no answer');
    this.revision += 1;
    return this.revision;
  }

  async read(): Promise<undefined> {}

  async names(): Promise<string[]> {
    return [];
  }

  async purge(): Promise<void> {}

  stop(): void {}
}

const savedReport = {v: 1, id: digested.id, createdMs: 0, name: 'Growth', questions: []};

/** `kind`: of what is made. Digests need a report. */
async function edge(kind?: KeptName) {
  const text = JSON.stringify(savedReport);
  const bucket = new Bucket(kind === 'digest' ? [{name: savedReport.id, text, revision: 1}] : []);
  const lines: string[] = [];
  const obstacle: {now: Failure | undefined} = {now: undefined};
  const memory = {kind: 'funnel_memory', memory: {lateUsers: 0}};
  const report = {kind: 'report', headers: {'Report-As-Of': '2026-05-01T00:00:00.000Z'}, body: '{}'};
  const store = await KeptStore.open(bucket, () => 0);
  const front = {
    partitionCount: 1,
    wallMs: () => Date.UTC(2026, 4, 1),
    reads: {asks: {partition: async () => memory, report: async () => report}},
    kept: {
      store,
      shareReads: new ShareReads(store),
      audit: {defined: (what: string) => lines.push(what)},
      keys: {ring: {get: () => undefined}, lists: {names: [], properties: []}},
      webhookAddresses: {faultOf: () => undefined},
      deliveryQueue: {forget: async () => {}},
    },
    operations: {obstacles: {toChanges: () => obstacle.now}, clientAddresses: {of: () => '127.0.0.1'}},
  } as unknown as Front;
  return {front, bucket, lines, obstacle};
}

test.each(resources)('no $noun is created above the bound of their number', async ({create, name, noun, countMax}) => {
  const {front, lines} = await edge(name);
  const [body] = keptKinds[name].bodies;
  const make = async (at: number): Promise<string> => {
    const statuses: string[] = [];
    const own = name === 'described-name' ? {...body, event: `event ${at}`} : body; // A name has one description.
    const exchange = {query: '', caller: {}, json: (status: string) => statuses.push(status)} as unknown as Exchange;
    await create(front, exchange, Buffer.from(JSON.stringify(own)));
    return statuses.join();
  };
  for (let count = 0; count < countMax; count++) expect(await make(count)).toBe('201 Created');
  await expect(make(countMax)).rejects.toMatchObject({
    failure: {code: 'invalid_request', message: expect.stringContaining(noun)},
  });
  expect(lines).toEqual(Array(countMax).fill(`${name}.created`));
});

test.each(resources)('a change of $noun says that its outcome is not known, or that it was not tried', async (kind) => {
  const {front, bucket, lines, obstacle} = await edge(kind.name);
  let made = {id: ''};
  const ofPath = () => {
    const path = `/v1/${kind.name}s/${made.id}`;
    const json = (_: string, body: string) => (made = JSON.parse(body));
    return {query: '', caller: {}, path, route: {}, json} as unknown as Exchange;
  };
  const {bodies, change} = keptKinds[kind.name];
  const bytes = (body: object): Buffer => Buffer.from(JSON.stringify(body));
  await kind.create(front, ofPath(), bytes(bodies[0]));
  const {id} = made;
  const changes = [
    async () => kind.create(front, ofPath(), bytes(bodies[1])),
    async () => kind.change(front, ofPath(), bytes(change)),
    async () => kind.remove(front, ofPath(), id),
  ];
  bucket.isSilent = true;
  const unknown = {failure: {code: 'unavailable', message: expect.stringContaining('may or may not have been made')}};
  for (const make of changes) await expect(make()).rejects.toMatchObject(unknown);
  obstacle.now = unavailable('NATS is silent');
  for (const make of changes) await expect(make()).rejects.toMatchObject({failure: obstacle.now});
  expect(lines).toEqual([`${kind.name}.created`]);
});

const hook = {kind: 'webhook', url: 'https://hooks.example.com/a', types: [{type: 'user.deleted'}]};
const question = {report: 'lifecycle', range: {from: '2026-05-01', to: '2026-05-02'}};
const saved = {name: 'r', questions: [question]};

test.each<[KeptName, object, Record<string, unknown>, object]>([
  [
    'board',
    {name: 'b'},
    {tiles: [{questions: [{...question, interval: 'day', week_start: 'monday', timezone: 'UTC'}]}], place: 7},
    {tiles: [], place: 8},
  ],
  ['saved-report', saved, {place: 7, view: {often: 'at_least'}}, {place: 8}],
  [
    'share',
    saved,
    {origins: ['https://a.example'], ends_at: 'never'},
    {origins: [], ends_at: '2026-05-31T00:00:00.000Z'},
  ],
  [
    'alert',
    {name: 'a', kind: 'absence', question: {report: 'counts'}, minutes: 60},
    {for: 2, repeat_minutes: 60},
    {for: 1},
  ],
  ['webhook', hook, {batch: {events: 5, ms: 1}, ordered: true}, {batch: {events: 1, ms: 0}, ordered: false}],
  ['webhook', hook, {max_lag_minutes: 60}, {max_lag_minutes: 1_440}],
])('null is the default of an optional member of a %s: %j with %j', async (kept, body, members, defaults) => {
  const {front} = await edge();
  const kind = resources.find(({name}) => name === kept)!;
  let now: Record<string, unknown> = {};
  const exchangeOf = (path = '') => {
    const json = (_: string, text: string) => (now = JSON.parse(text));
    return {query: '', caller: {}, path, route: {}, json} as unknown as Exchange;
  };
  const bytes = (value: object): Buffer => Buffer.from(JSON.stringify(value));
  const nulls = Object.fromEntries(Object.keys(members).map((member) => [member, null]));
  await kind.create(front, exchangeOf(), bytes({...body, ...nulls}));
  const made = now;
  const change = (value: object) => kind.change(front, exchangeOf(`/v1/${kept}s/${made.id}`), bytes(value));
  await change(members);
  expect(now).toMatchObject(members);
  await change(nulls);
  expect(now).toMatchObject(defaults);
  for (const [field, wrong] of [
    ['name' in body ? 'name' : 'url', {...body, ['name' in body ? 'name' : 'url']: null}],
    ['more', {...body, more: null}],
  ] as const)
    await expect(kind.create(front, exchangeOf(), bytes(wrong))).rejects.toMatchObject({failure: {field}});
  await expect(change({['name' in body ? 'name' : 'url']: null})).rejects.toMatchObject({
    failure: {code: 'invalid_request'},
  });
});
