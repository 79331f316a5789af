// Keys over a fake bucket: two processes that share it, and a watch that tells when it is told to.
import {describe, expect, test} from 'vitest';
import {generateKey, hashKey, keyPrefix} from '../../src/keys/key.js';
import {type BucketEntry, BucketFault, type KeyBucket, type KeyListener} from '../../src/keys/key-bucket.js';
import {type Bootstrap, type FirstKeys, KeyStore} from '../../src/keys/store.js';

/** What the server holds; every process has its own view of it. */
class SharedBucket {
  readonly entries = new Map<string, BucketEntry>();
  readonly views: BucketView[] = [];
  private revision = 0;

  view(): BucketView {
    const view = new BucketView(this);
    this.views.push(view);
    return view;
  }

  write(name: string, text: string, expected: number): number | undefined {
    if ((this.entries.get(name)?.revision ?? 0) !== expected) return undefined;
    this.revision += 1;
    const entry = {name, text, revision: this.revision};
    this.entries.set(name, entry);
    for (const view of this.views) view.untold.push(entry);
    return this.revision;
  }

  /** What a server has that lost everything since `earlier`. */
  goBackTo(earlier: ReadonlyMap<string, BucketEntry>): void {
    this.entries.clear();
    for (const [name, entry] of earlier) this.entries.set(name, entry);
    this.revision = Math.max(0, ...Array.from(earlier.values(), ({revision}) => revision));
    for (const view of this.views) view.untold = [];
  }
}

class BucketView implements KeyBucket {
  untold: BucketEntry[] = [];
  private listener!: KeyListener;
  /** What happens while the answer to a read is on its way. */
  whileRead = (): void => {};

  constructor(private readonly shared: SharedBucket) {}

  async watch(listener: KeyListener): Promise<void> {
    this.listener = listener;
    listener.all([...this.shared.entries.values()]);
  }

  /** The connection was lost, and is back; `meanwhile` runs while the new watch is being told what there is. */
  async comeBack(meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
    this.untold = [];
    this.listener.returned();
    const stored = [...this.shared.entries.values()];
    await meanwhile();
    this.listener.all(stored);
  }

  /** The watch brings what happened. */
  tell(): void {
    for (const entry of this.untold.splice(0)) this.listener.changed(entry);
  }

  async write(name: string, text: string, revision: number): Promise<number | undefined> {
    return this.shared.write(name, text, revision);
  }

  async read(name: string): Promise<BucketEntry | undefined> {
    const entry = this.shared.entries.get(name);
    this.whileRead();
    return entry;
  }

  stop(): void {}
}

async function twoProcesses() {
  const shared = new SharedBucket();
  const [viewA, viewB] = [shared.view(), shared.view()];
  let nowMs = 1_000;
  const clock = (): number => nowMs++;
  return {shared, viewA, viewB, a: await KeyStore.open(viewA, clock), b: await KeyStore.open(viewB, clock)};
}

const bearer = (key: string): string => `Bearer ${key}`;

describe('keys', () => {
  test('are 256 random bits behind a prefix, and are kept only as a hash', async () => {
    const {a, shared} = await twoProcesses();
    const {key, record} = await a.create('write', 'web');
    expect(key).toMatch(/^sk_write_[0-9A-Za-z]{43}$/);
    expect(record).toMatchObject({kind: 'write', name: 'web', hash: hashKey(key), last4: key.slice(-4)});
    expect(JSON.stringify([...shared.entries.values()])).not.toContain(key.slice(keyPrefix.write.length));
    expect(new Set(Array.from({length: 100}, () => generateKey('secret'))).size).toBe(100);
  });

  test('one that is created works here at once, elsewhere when the watch tells', async () => {
    const {a, b, viewB} = await twoProcesses();
    const {key} = await a.create('secret', 'server');
    expect(a.ring.byHeader(bearer(key))).toMatchObject({kind: 'secret'});
    expect(b.ring.byHeader(bearer(key))).toBeUndefined();
    viewB.tell();
    expect(b.ring.byHeader(bearer(key))).toMatchObject({kind: 'secret'});
  });

  test('one that is revoked is refused at once, also where its header was seen before', async () => {
    const {a, b, viewB} = await twoProcesses();
    const {key, record} = await a.create('write', 'web');
    viewB.tell();
    expect(b.ring.byHeader(bearer(key))).toBeDefined();
    await a.revoke(record.id);
    expect(a.ring.byHeader(bearer(key))).toBeUndefined();
    expect(a.ring.byKey(key)).toBeUndefined();
    viewB.tell();
    expect(b.ring.byHeader(bearer(key))).toBeUndefined();
    expect(b.ring.list()).toMatchObject([{id: record.id, revokedMs: expect.any(Number)}]);
  });

  test('the last use is listed at once, and outlives the key', async () => {
    const {a, b, viewB} = await twoProcesses();
    const {key, record} = await a.create('write', 'web');
    viewB.tell();
    expect(a.ring.list()).toMatchObject([{lastUsedMs: null}]);
    a.ring.byHeader(bearer(key))!.lastUsedMs = 7_000;
    expect(a.ring.list()).toMatchObject([{lastUsedMs: 7_000}]);
    await a.revoke(record.id);
    viewB.tell();
    for (const store of [a, b]) expect(store.ring.list()).toMatchObject([{lastUsedMs: 7_000}]);
  });

  test('revoking twice keeps the first time, revoking nothing says so', async () => {
    const {a} = await twoProcesses();
    const {record} = await a.create('write', 'web');
    const first = await a.revoke(record.id);
    expect(await a.revoke(record.id)).toEqual(first);
    expect(await a.revoke('key_unknown')).toBeUndefined();
  });

  test('a late "last used" of another process does not take a revocation back', async () => {
    const {a, b, viewB} = await twoProcesses();
    const {key, record} = await a.create('write', 'web');
    viewB.tell();
    b.ring.byHeader(bearer(key))!.lastUsedMs = 5_000;
    await a.revoke(record.id);
    await b.saveLastUsed();
    viewB.tell();
    expect(b.ring.byHeader(bearer(key))).toBeUndefined();
    expect(a.ring.get(record.id)!.revokedMs).not.toBeNull();
  });

  test('a revocation wins over a "last used" that it had not heard of', async () => {
    const {a, b, viewB} = await twoProcesses();
    const {key, record} = await a.create('write', 'web');
    viewB.tell();
    b.ring.byHeader(bearer(key))!.lastUsedMs = 5_000;
    await b.saveLastUsed();
    expect(await a.revoke(record.id)).toMatchObject({lastUsedMs: 5_000, revokedMs: expect.any(Number)});
  });

  test('last used is written once per change', async () => {
    const {a, shared} = await twoProcesses();
    const {key, record} = await a.create('write', 'web');
    a.ring.byHeader(bearer(key))!.lastUsedMs = 9_000;
    await a.saveLastUsed();
    const {revision} = shared.entries.get(record.id)!;
    await a.saveLastUsed();
    expect(shared.entries.get(record.id)!.revision).toBe(revision);
    expect(a.ring.get(record.id)!.lastUsedMs).toBe(9_000);
  });
});

describe('a bucket that lost its last changes', () => {
  /** One key, whose last uses were written down after what the bucket goes back to. */
  async function lost() {
    const world = await twoProcesses();
    const {shared, viewB, a, b} = world;
    const {key, record} = await a.create('write', 'web');
    const earlier = new Map(shared.entries);
    for (const lastUsedMs of [2_000, 3_000, 4_000]) {
      a.ring.byKey(key)!.lastUsedMs = lastUsedMs;
      await a.saveLastUsed();
      viewB.tell();
    }
    const {record: recordLost, key: keyLost} = await a.create('secret', 'made after that');
    viewB.tell();
    expect(b.ring.byHeader(bearer(keyLost))).toBeDefined();
    shared.goBackTo(earlier);
    return {...world, key, record, keyLost, recordLost};
  }

  test('gives lower revisions: what they say is taken all the same', async () => {
    const {viewA, viewB, a, b, key, record} = await lost();
    await viewA.comeBack();
    await viewB.comeBack();
    await a.revoke(record.id);
    viewB.tell();
    expect(b.ring.byKey(key)).toBeUndefined();
  });

  test('a key that it has no more opens nothing, wherever it was seen before', async () => {
    const {viewA, viewB, a, b, key, keyLost} = await lost();
    for (const view of [viewA, viewB]) await view.comeBack();
    for (const {ring} of [a, b]) {
      expect(ring.byHeader(bearer(keyLost))).toBeUndefined();
      expect(ring.list()).toHaveLength(1);
      expect(ring.byKey(key)).toMatchObject({kind: 'write', lastUsedMs: 4_000});
    }
  });

  test('a key is revoked also before the watch tells what is left', async () => {
    const {viewB, b, key, record, recordLost} = await lost();
    await viewB.comeBack(() => b.revoke(record.id));
    expect(b.ring.byKey(key), 'the watch began before that').toBeUndefined();
    expect(b.ring.get(record.id)!.revokedMs).not.toBeNull();
    expect(await b.revoke(recordLost.id)).toBeUndefined();
  });

  test('one that has no such key says so at once', async () => {
    const {b, keyLost, recordLost} = await lost();
    expect(await b.revoke(recordLost.id)).toBeUndefined();
    expect(b.ring.byKey(keyLost)).toBeUndefined();
  });

  test('a first key that another process made anew takes the place of the one that was lost', async () => {
    const {shared, a, b, viewB} = await twoProcesses();
    const before = await a.createFirst();
    viewB.tell();
    shared.goBackTo(new Map());
    const c = await KeyStore.open(shared.view(), () => 1);
    const after = await c.createFirst();
    await viewB.comeBack();
    expect([before.write!, after.write!].map((key) => b.ring.byKey(key)?.kind)).toEqual([undefined, 'write']);
  });
});

describe('what is read behind a refused write', () => {
  test('does not take back what the watch told meanwhile', async () => {
    const {a, b, viewB, record, key} = await oneKey();
    await a.saveLastUsed();
    viewB.whileRead = () => {
      viewB.whileRead = () => {
        throw new BucketFault('asked again');
      };
      // Revoked while the answer is on its way.
      void a.revoke(record.id);
      viewB.tell();
      expect(b.ring.byKey(key)).toBeUndefined();
    };
    const revoked = await b.revoke(record.id);
    expect(revoked).toEqual(a.ring.get(record.id));
    expect(b.ring.byKey(key)).toBeUndefined();
  });

  test('is no reason to try for ever', async () => {
    const {a, b, viewB, record, key} = await oneKey();
    await a.saveLastUsed();
    let reads = 0;
    viewB.whileRead = () => {
      reads += 1;
      a.ring.byKey(key)!.lastUsedMs += 1;
      void a.saveLastUsed();
    };
    await expect(b.revoke(record.id)).rejects.toThrow(BucketFault);
    expect(reads).toBe(10);
  });

  /** Known to both, used where `b` has not heard of it. */
  async function oneKey() {
    const world = await twoProcesses();
    const {key, record} = await world.a.create('write', 'web');
    world.viewB.tell();
    world.a.ring.byKey(key)!.lastUsedMs = 5_000;
    return {...world, key, record};
  }
});

test('a "last used" does not take back a revocation that came while others were written down', async () => {
  const {a, b, viewA, viewB} = await twoProcesses();
  const [first, second] = [await a.create('write', 'first'), await a.create('write', 'second')];
  viewB.tell();
  for (const {key} of [first, second]) a.ring.byKey(key)!.lastUsedMs = 5_000;
  await b.revoke(second.record.id);
  const saving = a.saveLastUsed(); // Waits for the first one.
  viewA.tell();
  await saving;
  viewB.tell();
  for (const store of [a, b]) expect(store.ring.byKey(second.key)).toBeUndefined();
});

test('options are known to every process, and a "last used" does not take them back', async () => {
  const {a, b, viewA, viewB} = await twoProcesses();
  const {record, key} = await a.create('write', 'web');
  viewB.tell();
  expect(b.ring.byHeader(`Bearer ${key}`)?.options).toBeUndefined();
  b.ring.byKey(key)!.lastUsedMs = 5_000;
  await a.setOptions(record.id, {mayIdentify: false});
  await b.saveLastUsed();
  viewB.tell();
  viewA.tell();
  for (const {ring} of [a, b]) expect(ring.byHeader(`Bearer ${key}`)?.options).toEqual({mayIdentify: false});
  await b.setOptions(record.id, undefined);
  viewA.tell();
  for (const {ring} of [a, b]) expect(ring.byHeader(`Bearer ${key}`)?.options).toBeUndefined();
  await a.revoke(record.id);
  expect((await a.setOptions(record.id, {mayIdentify: false}))?.record.options, 'a revoked key').toBeUndefined();
});

test('options are replaced only as they are meant, though the process has not heard of them yet', async () => {
  const {a, b, viewB} = await twoProcesses();
  const {record} = await a.create('write', 'web');
  viewB.tell();
  await a.setOptions(record.id, {mayIdentify: false});
  const author = {by: 'admin'};
  const late = await b.setOptions(record.id, undefined, author, ({options}) => options === undefined);
  expect(late).toMatchObject({isOutdated: true, record: {options: {mayIdentify: false}}});
  await a.setOptions(record.id, {mayIdentify: true, eventsPerSecondPerAddress: 5});
  const meant = await b.setOptions(record.id, undefined, author, ({options}) => options?.mayIdentify === true);
  expect([meant?.isOutdated, meant?.record.options]).toEqual([false, undefined]);
});

test('the header is Bearer in any case and one key', async () => {
  const {a} = await twoProcesses();
  const {key} = await a.create('write', 'web');
  for (const header of [`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}`]) {
    expect(a.ring.byHeader(header)).toBeDefined();
  }
  for (const header of [
    key,
    `Basic ${key}`,
    `Bearer${key}`,
    `Bearer ${key} x`,
    'Bearer',
    'Bearer ',
    `Bearer ${key}x`,
  ]) {
    expect(a.ring.byHeader(header)).toBeUndefined();
  }
});

/** As a start does. */
async function prepared(store: KeyStore, fixed: Bootstrap): Promise<FirstKeys> {
  await store.fixAll(fixed);
  return store.createFirst();
}

describe('the first start', () => {
  test('creates one key of each kind, once', async () => {
    const {a, b, viewB} = await twoProcesses();
    const first = await a.createFirst();
    expect(a.ring.byKey(first.write!)).toMatchObject({kind: 'write'});
    expect(a.ring.byKey(first.secret!)).toMatchObject({kind: 'secret'});
    expect(await b.createFirst()).toEqual({}); // Started at the same time, and was slower.
    viewB.tell();
    expect(await b.createFirst()).toEqual({});
    expect(b.ring.list()).toHaveLength(2);
  });

  test('has its keys once NATS has a leader, also one that was stored and not answered', async () => {
    const {a, b, viewA, viewB} = await twoProcesses();
    const {write} = viewA;
    let refusals = 4;
    viewA.write = async (name, text, revision) => {
      if (refusals-- > 2) throw new BucketFault('no stream takes it');
      const written = await write.call(viewA, name, text, revision);
      if (refusals >= 0) throw new BucketFault('no answer');
      return written;
    };
    const {write: first, secret} = await a.createFirst();
    viewB.tell();
    expect([first!, secret!].map((key) => b.ring.byKey(key)?.kind)).toEqual(['write', 'secret']);
    expect(refusals).toBeLessThan(0);
  });

  test('does not bring keys back that were all revoked', async () => {
    const {a} = await twoProcesses();
    await a.createFirst();
    for (const {id} of a.ring.list()) await a.revoke(id);
    expect(await a.createFirst()).toEqual({});
  });

  test('takes fixed keys; another fixed key takes the place of the one before', async () => {
    const {a} = await twoProcesses();
    const [write, secret, newSecret] = [
      'sk_write_fixed0000000001',
      'sk_live_fixed00000000001',
      'sk_live_fixed00000000002',
    ];
    expect(await prepared(a, {write, secret})).toEqual({});
    expect(await prepared(a, {write, secret})).toEqual({});
    expect(a.ring.list()).toHaveLength(2);
    await prepared(a, {write, secret: newSecret});
    expect([write, secret, newSecret].map((key) => a.ring.byKey(key)?.kind)).toEqual(['write', undefined, 'secret']);
  });

  test('a read key is fixed like the others, and no start creates one', async () => {
    const {a} = await twoProcesses();
    const [read, newRead] = ['sk_read_fixed00000000001', 'sk_read_fixed00000000002'];
    const first = await prepared(a, {read});
    expect(Object.keys(first)).toEqual(['write', 'secret']);
    await prepared(a, {read: newRead});
    expect([read, newRead].map((key) => a.ring.byKey(key)?.kind)).toEqual([undefined, 'read']);
  });

  test('two processes that fix a key at once make one record, and its id says nothing of the key', async () => {
    const {a, b, viewA, viewB} = await twoProcesses();
    const [same, other] = ['sk_write_fixed0000000001', 'sk_write_fixed0000000002'];
    await Promise.all([a.fixAll({write: same}), b.fixAll({write: same})]);
    for (const view of [viewA, viewB]) view.tell();
    expect(a.ring.list().map(({id}) => id)).toEqual(['key_fixed_write_1']);
    await Promise.all([a.fixAll({write: same}), b.fixAll({write: other})]);
    for (const view of [viewA, viewB]) view.tell();
    for (const {ring} of [a, b]) {
      expect([same, other].map((key) => ring.recordOf(key)?.id)).toEqual(['key_fixed_write_1', 'key_fixed_write_2']);
    }
  });

  test('a fixed key that takes the place of another keeps its options', async () => {
    const {a} = await twoProcesses();
    const [first, second] = ['sk_write_fixed0000000001', 'sk_write_fixed0000000002'];
    await a.fixAll({write: first});
    const options = {mayIdentify: false, origins: ['https://example.com']};
    await a.setOptions(a.ring.recordOf(first)!.id, options);
    await a.fixAll({write: second});
    expect(a.ring.byKey(second)?.options).toEqual(options);
  });

  test('a revoked fixed key stays revoked', async () => {
    const {a} = await twoProcesses();
    const write = 'sk_write_fixed0000000001';
    await prepared(a, {write, secret: 'sk_live_fixed00000000001'});
    await a.revoke(a.ring.list().find(({kind}) => kind === 'write')!.id);
    await prepared(a, {write, secret: 'sk_live_fixed00000000001'});
    expect(a.ring.byKey(write)).toBeUndefined();
  });

  test('a key that was made by hand and is fixed then is one key, revoked or not', async () => {
    const {a, shared} = await twoProcesses();
    const [kept, revoked] = [await a.create('write', 'web'), await a.create('secret', 'server')];
    await a.revoke(revoked.record.id);
    await a.fixAll({write: kept.key, secret: revoked.key});
    // A start reads the records in any order.
    const again = await KeyStore.open(shared.view(), () => 1);
    for (const store of [a, again]) {
      expect(store.ring.list()).toHaveLength(2);
      expect([kept.key, revoked.key].map((key) => store.ring.byKey(key)?.kind)).toEqual(['write', undefined]);
    }
    await again.fixAll({write: 'sk_write_fixed0000000001'});
    expect(again.ring.byKey(kept.key), 'another fixed key takes its place').toBeUndefined();
  });

  test('a revoked fixed key takes nobody’s place', async () => {
    const {a} = await twoProcesses();
    const [first, second] = ['sk_write_fixed0000000001', 'sk_write_fixed0000000002'];
    await a.fixAll({write: first});
    await a.fixAll({write: second});
    await a.fixAll({write: first});
    expect([first, second].map((key) => a.ring.byKey(key)?.kind)).toEqual([undefined, 'write']);
  });

  test('creates only the kind that is not fixed, and tells no fixed key', async () => {
    const {a} = await twoProcesses();
    const first = await prepared(a, {write: 'sk_write_fixed0000000001'});
    expect(Object.keys(first)).toEqual(['secret']);
    expect(a.ring.byKey(first.secret!)).toMatchObject({kind: 'secret'});
  });

  test('tells the key that a start created which was cut short by a crash in between', async () => {
    const {a} = await twoProcesses();
    await a.create('write', 'of the start that crashed');
    const {write, secret} = await a.createFirst();
    expect(write).toBeUndefined();
    expect(a.ring.byKey(secret!)).toMatchObject({kind: 'secret'});
  });
});
