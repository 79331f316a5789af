// Erasing parts behind snapshots, on a real nats-server: one that forgets what it did not sync, and one that keeps all.
import {type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import type {PartRef} from '../../../actors/manifest.js';
import {connectNats} from '../../../src/nats/client/connection.js';
import {erasingLink} from '../../../src/nats/erasing-link.js';
import {partValues} from '../../../src/nats/part-values.js';
import {bucketStream, bucketSubject} from '../../../src/nats/topology.js';
import {createLogger} from '../../../src/observe.js';
import {PartStore} from '../../../src/partition/snapshot/part-store.js';
import {type ErasingLink, PartSweep} from '../../../src/partition/snapshot/part-sweep.js';
import {Throttle} from '../../../src/partition/throttle.js';
import {PartsCache} from '../../../src/parts/parts-cache.js';
import {ForgetfulNats} from '../../support/forgetful-nats.js';
import {partOwner} from '../../support/part-owner.js';
import {patienceMsMax, until} from '../../support/until.js';

const log = createLogger('silent', 'test');
const nothing: ReadonlySet<string> = new Set();

let nats: ForgetfulNats;
let nc: NatsConnection;
let erasingNc: NatsConnection;
let js: JetStreamClient;
let jsm: JetStreamManager;
/** What a test looks at by itself: a busy machine answers late. */
let patient: JetStreamManager;
let link: ErasingLink;

beforeEach(async () => {
  nats = await ForgetfulNats.start();
  [nc, erasingNc] = await Promise.all([connectNats(nats.address, 'test'), connectNats(nats.address, 'test-erasing')]);
  js = jetstream(nc, {timeout: 500});
  jsm = await jetstreamManager(nc, {checkAPI: false, timeout: 500});
  patient = await jetstreamManager(nc, {checkAPI: false, timeout: patienceMsMax});
  link = await erasingLink(erasingNc);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all([nc.close(), erasingNc.close()]);
  await nats.close();
});

const storeOf = (epoch = 1): PartStore => new PartStore(js, jsm, 0, partOwner(epoch));
const sweepOf = (parts: PartStore, more: {erasing?: ErasingLink; throttle?: Throttle} = {}): PartSweep =>
  new PartSweep({partition: 0, parts, jsm, erasing: link, log, ...more});

async function putSome(parts: PartStore, text: string, count: number): Promise<PartRef[]> {
  const refs: PartRef[] = [];
  for (let i = 0; i < count; i++) refs.push(await parts.put(Buffer.from(`${text} ${i}`)));
  return refs;
}

const revisionsOf = (refs: readonly PartRef[]): number[] => refs.flatMap(({revisions}) => revisions);
const textOf = async (ref: PartRef): Promise<string> =>
  Buffer.from(await new PartsCache(partValues(patient), 0).load(ref)).toString();
const textsOf = (refs: readonly PartRef[]): Promise<string[]> => Promise.all(refs.map(textOf));

async function storedSubjects(): Promise<string[]> {
  const {state} = await patient.streams.info(bucketStream('parts-0'), {subjects_filter: bucketSubject('parts-0', '>')});
  return Object.keys(state.subjects ?? {}).sort();
}

const subjectsOf = (refs: readonly PartRef[]): string[] =>
  refs.map(({key}) => bucketSubject('parts-0', `${key}.0`)).sort();

/** As a snapshot does that names none of them. */
function replace(sweep: PartSweep, parts: PartStore, refs: readonly PartRef[]): void {
  parts.retire(...refs);
  sweep.add(parts.takeRetired(nothing));
}

/** The link, but for what happens behind an answer of its manager. */
function behind(method: 'info' | 'getMessage' | 'deleteMessage', then: () => Promise<void>): ErasingLink {
  const {streams} = link.jsm;
  const answered = async (...asked: unknown[]) => {
    const answer = await (streams[method] as (...all: unknown[]) => Promise<unknown>).apply(streams, asked);
    await then();
    return answer;
  };
  const changed = Object.assign(Object.create(streams), {[method]: answered});
  return {
    jsm: Object.assign(Object.create(link.jsm), {streams: changed}),
    run: () => link.run(),
    isOfCluster: () => link.isOfCluster(),
  };
}

/** The link, whose erases are answered once `allowed` is opened; `asked` opens with the first of them. */
function heldErases() {
  const [asked, allowed] = [gate(), gate()];
  const held = behind('deleteMessage', async () => {
    asked.open();
    await allowed.opened;
  });
  return {asked, allowed, held};
}

/** All at its first call alone. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

/** Rests for which somebody else decides how long they are. */
function restingBy(pause: () => Promise<unknown>): Throttle {
  return new Throttle(() => 0, {busyMs: () => 0, nowMs: () => 0, pause, nextTurn: async () => undefined});
}

function gate(): {readonly opened: Promise<void>; open(): void} {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {opened, open};
}

describe('a server that lost its newest messages gives their sequences to others', () => {
  /** What changes the server; both connections are back then. Nothing else tells that the store is another one. */
  async function restarted(change: Promise<void>): Promise<void> {
    const runs = () => [nc, erasingNc].map(({info}) => info?.server_id);
    const gone = runs();
    await change;
    await until('the connections are back', () => runs().every((run, i) => run !== undefined && run !== gone[i]));
    await Promise.all([nc.flush(), erasingNc.flush()]);
  }
  const remember = (name: string) => restarted(nats.remember(name));
  const goBackTo = (name: string) => restarted(nats.goBackTo(name));

  /** What the server will forget, and what it takes instead. */
  async function world(parts: PartStore) {
    const kept = await putSome(parts, 'kept', 2);
    await remember('kept');
    const lost = await putSome(parts, 'lost', 5);
    const next: PartRef[] = [];
    const putNext = async () => {
      next.push(...(await putSome(parts, 'next', 5)));
    };
    const check = async (sweep: PartSweep) => {
      expect(revisionsOf(next)).toEqual(revisionsOf(lost));
      expect(await textsOf(next)).toEqual([0, 1, 2, 3, 4].map((i) => `next ${i}`));
      expect(await storedSubjects()).toEqual(subjectsOf(next));
      const noted = sweep.takeNoted();
      expect(noted.map(({subject}) => subject)).toEqual(expect.arrayContaining(subjectsOf(kept)));
      expect(await sweep.stillThere(noted)).toEqual([]);
    };
    return {kept, lost, putNext, check};
  }

  test('before a list is made', async () => {
    const parts = storeOf();
    const sweep = sweepOf(parts);
    const {kept, lost, putNext, check} = await world(parts);
    await goBackTo('kept');
    await putNext();
    sweep.note();
    replace(sweep, parts, [...kept, ...lost]);
    await sweep.settle();
    await check(sweep);
  });

  test('while a list is being erased', async () => {
    const parts = storeOf();
    const {kept, lost, putNext, check} = await world(parts);
    const forgotten = once(async () => {
      await goBackTo('kept');
      await putNext();
    });
    let rests = 0;
    let isForgotten = false;
    // The first rest is before the list, the second after its first two values.
    const sweep: PartSweep = sweepOf(parts, {
      throttle: restingBy(async () => {
        rests += 1;
        if (rests !== 2) return;
        await forgotten();
        sweep.note();
        isForgotten = true;
      }),
    });
    replace(sweep, parts, [...kept, ...lost]);
    await until('the server has forgotten', () => isForgotten);
    await sweep.settle();
    await check(sweep);
  });

  test.each(['info', 'deleteMessage'] as const)('behind an answer to %s', async (method) => {
    const parts = storeOf();
    const {kept, lost, putNext, check} = await world(parts);
    const forgotten = once(async () => {
      await goBackTo('kept');
      await putNext();
    });
    const sweep = sweepOf(parts, {erasing: behind(method, forgotten)});
    sweep.note();
    replace(sweep, parts, [...kept, ...lost]);
    await sweep.settle();
    await check(sweep);
  });

  test('behind the answers to all erases of a list, what they erased being there again', async () => {
    const parts = storeOf();
    const {kept, lost, putNext, check} = await world(parts);
    const all = gate();
    let answers = 0;
    const forgotten = once(async () => {
      await all.opened;
      await goBackTo('kept');
      await putNext();
    });
    const erasing = behind('deleteMessage', async () => {
      answers += 1;
      if (answers === kept.length + lost.length) all.open();
      await forgotten();
    });
    const sweep = sweepOf(parts, {erasing});
    sweep.note();
    replace(sweep, parts, [...kept, ...lost]);
    await sweep.settle();
    await check(sweep);
  });

  test('behind the answer at which sequence an orphan is', async () => {
    const [before, parts] = [storeOf(1), storeOf(2)];
    await remember('kept');
    const orphans = await putSome(before, 'orphan', 5);
    const next: PartRef[] = [];
    const forgotten = once(async () => {
      await goBackTo('kept');
      next.push(...(await putSome(parts, 'next', 5)));
    });
    const sweep = sweepOf(parts, {erasing: behind('getMessage', forgotten)});
    sweep.addOrphans(nothing);
    await sweep.settle();
    expect(revisionsOf(next)).toEqual(revisionsOf(orphans));
    expect(await storedSubjects()).toEqual(subjectsOf(next));
  });

  test('what is sent while the link still names a run that is gone reaches no other', async () => {
    const parts = storeOf();
    await remember('nothing');
    const others = await putSome(parts, 'other', 3);
    await remember('others');
    await goBackTo('nothing');
    const lost = await putSome(parts, 'lost', 3);
    expect(revisionsOf(others)).toEqual(revisionsOf(lost));
    const gone = link.run();
    let sent = 0;
    const send = () => {
      if (link.run() !== gone) return;
      sent += 1;
      for (const sequence of revisionsOf(lost))
        link.jsm.streams.deleteMessage(bucketStream('parts-0'), sequence, true).catch(() => {});
    };
    const back = goBackTo('others');
    // In the turn in which the server is killed, as its end may be known before a timer's first millisecond is over.
    send();
    const sending = setInterval(send, 1);
    await back;
    clearInterval(sending);
    await erasingNc.flush();
    expect(sent).toBeGreaterThan(0);
    expect(await textsOf(others)).toEqual(['other 0', 'other 1', 'other 2']);
  });
});

describe('a server that keeps all', () => {
  test('what is erased while it is noted is noted as a whole, also what was begun before', async () => {
    const parts = storeOf();
    const {asked, allowed, held} = heldErases();
    const sweep = sweepOf(parts, {erasing: held});
    const [first, second] = [await putSome(parts, 'first', 3), await putSome(parts, 'second', 2)];
    replace(sweep, parts, first);
    await asked.opened;
    sweep.note();
    replace(sweep, parts, second);
    const settled = sweep.settle();
    allowed.open();
    await settled;
    const noted = sweep.takeNoted();
    expect(noted.map(({revision}) => revision)).toEqual(revisionsOf([...first, ...second]));
    expect(await sweep.stillThere(noted)).toEqual([]);
    expect(sweep.takeNoted()).toEqual([]);
  });

  test('who waits until all is erased waits for a list that was being erased, too', async () => {
    const parts = storeOf();
    const {asked, allowed, held} = heldErases();
    const sweep = sweepOf(parts, {erasing: held});
    replace(sweep, parts, await putSome(parts, 'first', 3));
    await asked.opened;
    let isSettled = false;
    const settled = sweep.settle().then(() => {
      isSettled = true;
    });
    await erasingNc.flush();
    expect(isSettled).toBe(false);
    allowed.open();
    await settled;
    expect(await storedSubjects()).toEqual([]);
  });

  test('an orphan that comes while orphans are being erased goes with the next call', async () => {
    const [before, parts] = [storeOf(1), storeOf(2)];
    const {asked, allowed, held} = heldErases();
    const sweep = sweepOf(parts, {erasing: held});
    const early = await putSome(before, 'early', 3);
    const own = await putSome(parts, 'own', 1);
    const named = new Set([(await putSome(before, 'named', 1))[0]!.key]);
    const stays = [...named].map((key) => bucketSubject('parts-0', `${key}.0`));
    sweep.note();
    sweep.addOrphans(named);
    await asked.opened;
    const late = await putSome(before, 'late', 1);
    sweep.addOrphans(named);
    const settled = sweep.settle();
    allowed.open();
    await settled;
    expect(await storedSubjects()).toEqual([...subjectsOf(own), ...stays].sort());
    const noted = sweep.takeNoted().map(({revision}) => revision);
    expect(
      noted.sort((a, b) => a - b),
      'each once',
    ).toEqual(revisionsOf([...early, ...late]).sort((a, b) => a - b));
  });

  test('orphans rest, give way to what a snapshot replaced, and are left to the next start by a stop', async () => {
    const [before, parts] = [storeOf(1), storeOf(2)];
    const orphans = await putSome(before, 'orphan', 20);
    let allow = gate();
    let resting = gate();
    const sweep = sweepOf(parts, {
      throttle: restingBy(async () => {
        resting.open();
        await allow.opened;
        allow = gate();
      }),
    });
    const nextRest = async () => {
      resting = gate();
      allow.open();
      await resting.opened;
    };
    sweep.addOrphans(nothing);
    await resting.opened;
    await nextRest(); // Behind the first two.
    expect(await storedSubjects()).toHaveLength(18);
    const replaced = await putSome(parts, 'replaced', 1);
    replace(sweep, parts, replaced);
    await nextRest();
    expect(await storedSubjects()).toEqual(expect.not.arrayContaining(subjectsOf(replaced)));
    expect(await storedSubjects()).toHaveLength(18);
    const stopped = sweep.stop();
    allow.open();
    await stopped;
    expect(await storedSubjects()).toHaveLength(18);

    const [next, after] = [storeOf(3), new Set<string>()];
    const another = sweepOf(next);
    another.addOrphans(after);
    await another.settle();
    expect(await storedSubjects()).toEqual([]);
    expect(orphans).toHaveLength(20);
  });

  test('what is noted is erased without rests', async () => {
    const parts = storeOf();
    let rests = 0;
    const sweep = sweepOf(parts, {
      throttle: restingBy(async () => {
        rests += 1;
      }),
    });
    sweep.note();
    replace(sweep, parts, await putSome(parts, 'replaced', 10));
    await until('all of it is erased', async () => (await storedSubjects()).length === 0);
    expect(rests).toBe(0);
  });

  test('who waits ends the rests', async () => {
    const parts = storeOf();
    let rests = 0;
    const [resting, rested] = [gate(), gate()];
    const sweep = sweepOf(parts, {
      throttle: restingBy(async () => {
        rests += 1;
        resting.open();
        await rested.opened;
      }),
    });
    replace(sweep, parts, await putSome(parts, 'replaced', 30));
    await resting.opened;
    const settled = sweep.settle();
    rested.open();
    await settled;
    expect(rests).toBe(1); // The one that was under way.
    expect(await storedSubjects()).toEqual([]);
  });

  test('a snapshot waits when lists gather, and for no more than the oldest', async () => {
    const parts = storeOf();
    const allowed = [gate(), gate(), gate()];
    let erased = 0;
    const held = behind('deleteMessage', async () => {
      await allowed[erased++]!.opened;
    });
    const sweep = sweepOf(parts, {erasing: held});
    for (const text of ['first', 'second']) replace(sweep, parts, await putSome(parts, text, 1));
    await sweep.room();
    replace(sweep, parts, await putSome(parts, 'third', 1));
    let hasRoom = false;
    const room = sweep.room().then(() => {
      hasRoom = true;
    });
    await erasingNc.flush();
    expect(hasRoom).toBe(false);
    allowed[0]!.open();
    await room;
    for (const {open} of allowed) open();
    await sweep.settle();
  });

  test('one look serves a list however long it takes, but in a cluster what was seen over a second ago is looked at again', async () => {
    let nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    for (const isOfCluster of [false, true]) {
      const parts = storeOf();
      let looks = 0;
      const slow = behind('info', async () => {
        looks += 1;
        if (looks === 1) nowMs += 1_100;
      });
      const erasedAfter: number[] = [];
      const counted = behind('deleteMessage', async () => void erasedAfter.push(looks));
      const streams = Object.assign(Object.create(slow.jsm.streams), {
        deleteMessage: counted.jsm.streams.deleteMessage,
      });
      const jsmBehind = Object.assign(Object.create(link.jsm), {streams});
      const sweep = sweepOf(parts, {
        erasing: {jsm: jsmBehind, run: () => link.run(), isOfCluster: () => isOfCluster},
      });
      replace(sweep, parts, await putSome(parts, 'payload', 2));
      await sweep.settle();
      expect(erasedAfter).toEqual(isOfCluster ? [2, 2] : [1, 1]);
      expect(await storedSubjects()).toEqual([]);
    }
  });

  test('a stop does not wait for ever for a server that is away, and ends nothing untruly', async () => {
    const parts = storeOf();
    const sweep = sweepOf(parts, {erasing: {...link, run: () => undefined}});
    const replaced = await putSome(parts, 'replaced', 3);
    replace(sweep, parts, replaced);
    let isSettled = false;
    void sweep.settle().then(() => {
      isSettled = true;
    });
    await sweep.stop();
    await until('nothing is tried any more', () => sweep.isIdle);
    expect(isSettled).toBe(false);
    expect(await storedSubjects()).toEqual(subjectsOf(replaced));
  });

  test('a value that somebody else had erased, or whose sequence is another one, is no reason to erase for ever', async () => {
    const parts = storeOf();
    const sweep = sweepOf(parts);
    const [gone, misnamed] = await putSome(parts, 'payload', 2);
    await patient.streams.deleteMessage(bucketStream('parts-0'), gone!.revisions[0]!, true);
    replace(sweep, parts, [gone!, {...misnamed!, revisions: [misnamed!.revisions[0]! + 7]}]);
    await sweep.settle();
    expect(await textOf(misnamed!)).toBe('payload 1');
  });
});
