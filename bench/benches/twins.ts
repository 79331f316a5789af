// What each fast path of reports brings over ten million events: the same questions, in turn with its plain twin, in this
// process and without HTTP. Both give the same answer, which is compared every time.
//   T1. Parts are in the cache, indexes built and the second thread at work before anything is timed.

import {setTimeout as pause} from 'node:timers/promises';
import {hourMs} from '../../actors/limits.js';
import {ActiveDaysPartial, type ActiveResult, mergeActive} from '../../actors/report/active-days.js';
import {ActiveHoursPartial} from '../../actors/report/active-hours.js';
import {type ActivePlan, planActive} from '../../actors/report/active-plan.js';
import {activeAnswer} from '../../actors/report/answers.js';
import {Buckets} from '../../actors/report/buckets.js';
import {gatheredRowBytes} from '../../actors/report/gathered-rows.js';
import {HourSetsPartial, hourSetWords} from '../../actors/report/hour-sets.js';
import {NumberLists} from '../../actors/report/median.js';
import type {ReportQuery} from '../../src/asks.js';
import {monotonicMs} from '../../src/clock.js';
import {createLogger} from '../../src/observe.js';
import {loadAhead} from '../../src/parts/load-ahead.js';
import {PartsCache, type PartValues} from '../../src/parts/parts-cache.js';
import {AnswerCache} from '../../src/report/answer-cache.js';
import {Evaluation, loadsAheadMax} from '../../src/report/evaluate.js';
import {FunnelIndex} from '../../src/report/funnel-index.js';
import {HeldDayRanges} from '../../src/report/held-day-ranges.js';
import type {PartitionSnapshot} from '../../src/report/newest-snapshots.js';
import type {JointWalk, SecondWalkerOptions} from '../../src/report/second-walker.js';
import {ValueIndex} from '../../src/report/value-index.js';
import type {Bench, Say} from '../bench.js';
import {AwaitedParts, RemadeDayRanges, ResumedDayRanges, UnderivedParts} from '../engine/plain-parts.js';
import {funnelOf14, funnelOf14Frequent, wholeRange} from '../engine/questions.js';
import {SnapshotsLink} from '../engine/snapshots-link.js';
import {cacheMib, openStore, startOver} from '../engine/store.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {type Measure, playRounds, type Ratio, type Rounds, ratioOf, ratioText, roundsText} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical, dayMs, type WorkloadOptions} from '../workload/events.js';
import {funnelSteps} from '../workload/expected.js';

/** Text of the answer to the question of this number. */
type Way = (number: number) => Promise<string>;

interface Twins {
  readonly quick: string;
  readonly plain: string;
  readonly ways: readonly [quick: Way, plain: Way];
  /** Questions of a sample. */
  readonly asks: number;
}

interface Sample {
  /** Of one question: the median of those that were asked. */
  readonly elapsedMs: number;
}

interface TwinsReport {
  readonly workload: WorkloadOptions;
  readonly pairs: readonly (readonly [quick: string, plain: string])[];
  readonly rounds: Rounds<Sample, string>;
  /** Time of the plain twin / of the fast path, by the name of the fast path. */
  readonly gains: Readonly<Record<string, Ratio>>;
}

/** Half of the service's, as its report role has. */
const cacheBytesMax = cacheMib * 2 ** 19;
const gatheredBytesMax = Math.floor((cacheBytesMax * 14) / 64 / 2);
const listBytesMax = cacheBytesMax / 64;
/** There and back. */
const wayMs = 1;
/** What two threads take depends on where the scheduler puts them. */
const longAsks = 21;
const threadPolls = 500;
const threadPollMs = 10;

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<TwinsReport> {
  const workload = {...canonical, userCount: 100_000, eventCount: options.numbers.events!};
  const store = await openStore(options, workload, owned, say);
  const link = owned.add(await SnapshotsLink.open(await startOver(store, owned)));
  const ground = new Ground(link, workload, options.isSmall);
  const all = [
    ...(await ground.funnels(owned, say)),
    ...(await ground.counts()),
    ...ground.active(),
    ...ground.parts(),
  ];
  const contenders = Object.fromEntries(all.flatMap(measuresOf));
  const rounds = await playRounds(contenders, options, say);
  const gains = all.map(
    ({quick, plain}) =>
      [quick, ratioOf(rounds, (samples) => samples[plain]!.elapsedMs / samples[quick]!.elapsedMs)] as const,
  );
  const pairs = all.map(({quick, plain}) => [quick, plain] as const);
  return {workload, pairs, rounds, gains: Object.fromEntries(gains)};
}

/** The fast path comes first, and its twin is asked what it was asked. */
function measuresOf({quick, plain, ways, asks}: Twins): [string, Measure<Sample>][] {
  let number = 0;
  let answers: string[] = [];
  const timed = (way: Way, take: (answer: string, nth: number) => void): Measure<Sample> => {
    return async () => {
      const times: number[] = [];
      for (let nth = 0; nth < asks; nth++) {
        const startMs = monotonicMs();
        const answer = await way(number + nth);
        times.push(monotonicMs() - startMs);
        take(answer, nth);
      }
      return {elapsedMs: spreadOf(times).median};
    };
  };
  const asked = timed(ways[0], (answer) => answers.push(answer));
  const compared = timed(ways[1], (answer, nth) => {
    if (answer !== answers[nth]) throw new Error(`question ${number + nth}: "${quick}" and "${plain}" differ`);
  });
  return [
    [
      quick,
      async (round) => {
        number += asks;
        answers = [];
        return await asked(round);
      },
    ],
    [plain, compared],
  ];
}

/** Counts the funnels that two threads walked. */
class WatchedFunnelIndex extends FunnelIndex {
  jointWalks = 0;

  override join(...walk: Parameters<FunnelIndex['join']>): JointWalk | undefined {
    const joint = super.join(...walk);
    if (joint !== undefined) this.jointWalks += 1;
    return joint;
  }
}

class Ground {
  private readonly snapshots: readonly PartitionSnapshot[];
  private readonly cache: PartsCache;
  private readonly lists = new NumberLists(listBytesMax);
  private readonly logger = createLogger('warn', 'bench');

  constructor(
    private readonly link: SnapshotsLink,
    private readonly workload: WorkloadOptions,
    private readonly isSmall: boolean,
  ) {
    this.snapshots = link.snapshots;
    this.cache = new PartsCache(link.values, cacheBytesMax);
  }

  private evaluate(query: ReportQuery, parts: PartsCache, funnels?: FunnelIndex, values?: ValueIndex): Promise<string> {
    const ranges = new HeldDayRanges(parts);
    return new Evaluation(parts, gatheredBytesMax, ranges, funnels, values, this.lists).answer(query, this.snapshots);
  }

  // -- funnels --

  async funnels(owned: Owned, say: Say): Promise<Twins[]> {
    const alone = {lookupsMin: Number.POSITIVE_INFINITY};
    const [both, one] = [await this.funnelIndex({}), await this.funnelIndex(alone)];
    owned.add({stop: () => both.forget()});
    const plain = await this.funnelIndex({...alone, kernelBytesMin: Number.POSITIVE_INFINITY});
    const windowMs = dayMs;
    const ways = (steps: readonly string[], a?: FunnelIndex, b?: FunnelIndex, window?: {windowMs: number}) =>
      [a, b].map(
        (index): Way =>
          (number) =>
            this.evaluate(
              {report: 'funnel', steps, ...window, ...wholeRange(this.workload, number)},
              this.cache,
              index,
            ),
      ) as unknown as readonly [Way, Way];
    await this.untilJoint(both, ways(funnelOf14, both, both)[0], say);
    const kept = new AnswerCache(2 ** 20);
    const [computed] = ways(funnelSteps, one, one);
    return [
      {
        quick: 'funnel of 3: postings',
        plain: 'funnel of 3: rows scanned',
        ways: ways(funnelSteps, one, undefined),
        asks: 3,
      },
      {
        quick: 'funnel of 3 within a day: postings',
        plain: 'funnel of 3 within a day: rows scanned',
        ways: ways(funnelSteps, one, undefined, {windowMs}),
        asks: 3,
      },
      {
        quick: 'funnel of 14: steps by the kernel',
        plain: 'funnel of 14: steps by its plain twin',
        ways: ways(funnelOf14, one, plain),
        asks: 5,
      },
      {
        quick: 'funnel of 14: two threads',
        plain: 'funnel of 14: one thread',
        ways: ways(funnelOf14, both, one),
        asks: longAsks,
      },
      {
        quick: 'funnel of 14, frequent events: two threads',
        plain: 'funnel of 14, frequent events: one thread',
        ways: ways(funnelOf14Frequent, both, one),
        asks: longAsks,
      },
      {
        quick: 'funnel of 3 again: answer kept',
        plain: 'funnel of 3 again: computed',
        ways: [() => kept.get('asked before', () => computed(0)), () => computed(0)],
        asks: 9,
      },
    ];
  }

  /** With all its postings. T1 */
  private async funnelIndex(walker: SecondWalkerOptions & {readonly kernelBytesMin?: number}) {
    const small = this.isSmall ? {lookupsMin: 1, kernelBytesMin: 1} : {};
    const options = {...small, ...walker};
    const index = new WatchedFunnelIndex(this.cache, this.logger, undefined, listBytesMax, options);
    const query = {report: 'funnel', steps: funnelOf14, ...wholeRange(this.workload, 0)} as const;
    await this.evaluate(query, this.cache, index);
    await index.settled();
    return index;
  }

  /** T1 */
  private async untilJoint(index: WatchedFunnelIndex, ask: Way, say: Say): Promise<void> {
    for (let poll = 0; index.jointWalks === 0; poll++) {
      if (poll === threadPolls) throw new Error('no second thread walks along');
      await ask(0);
      await pause(threadPollMs);
    }
    say('two threads walk');
  }

  // -- counts --

  async counts(): Promise<Twins[]> {
    const underived = new UnderivedParts(this.link.values, cacheBytesMax);
    const awaited = new AwaitedParts(this.link.values, cacheBytesMax);
    const values = new ValueIndex(this.cache, this.logger);
    const filters = [
      ['page_viewed', 'path', '/docs/api'],
      ['button_clicked', 'device', 'tablet'],
    ] as const;
    const filtered = (parts: PartsCache, index?: ValueIndex): Way => {
      return (number) => {
        const [event, property, value] = filters[number % filters.length]!;
        const range = wholeRange(this.workload, number);
        const filter = {property, value};
        return this.evaluate({report: 'events', event, interval: 'day', filter, ...range}, parts, undefined, index);
      };
    };
    const named = (parts: PartsCache): Way => {
      return (number) => {
        const range = wholeRange(this.workload, number);
        return this.evaluate({report: 'events', event: 'purchase_completed', interval: 'day', ...range}, parts);
      };
    };
    for (let number = 0; number < 2 * filters.length; number++) {
      await filtered(this.cache, values)(number);
      await values.settled();
    }
    for (const parts of [this.cache, underived, awaited])
      for (let number = 0; number < 4; number++) await filtered(parts)(number);
    return [
      {
        quick: 'filtered count: cells of values',
        plain: 'filtered count: chunks scanned',
        ways: [filtered(this.cache, values), filtered(this.cache)],
        asks: 4,
      },
      {
        quick: 'chunks scanned: by what is derived of them',
        plain: 'chunks scanned: as they are',
        ways: [filtered(this.cache), filtered(underived)],
        asks: 4,
      },
      {
        quick: 'count of a name: its cells alone',
        plain: 'count of a name: all cells',
        ways: [named(this.cache), named(underived)],
        asks: 9,
      },
      {
        quick: 'parts at hand: folded at once',
        plain: 'parts at hand: each waited for',
        ways: [named(this.cache), named(awaited)],
        asks: 9,
      },
    ];
  }

  // -- active users --

  active(): Twins[] {
    const [held, resumed, remade] = [
      new HeldDayRanges(this.cache),
      new ResumedDayRanges(new PartsCache(this.link.values, cacheBytesMax)),
      new RemadeDayRanges(new PartsCache(this.link.values, cacheBytesMax)),
    ];
    const byDay = (number: number) =>
      ({report: 'users', metric: 'mau', interval: 'day', ...wholeRange(this.workload, number & 7)}) as const;
    const inRanges = (ranges: HeldDayRanges): Way => {
      return (number) => new Evaluation(this.cache, gatheredBytesMax, ranges).answer(byDay(number), this.snapshots);
    };
    return [
      {
        quick: 'monthly users by day: table held',
        plain: 'monthly users by day: sets of days',
        ways: [inRanges(held), this.bySets],
        asks: 5,
      },
      {
        quick: 'table of users by days: the last one gone on',
        plain: 'table of users by days: made anew',
        // One question: another range would have no table to go on from.
        ways: [() => inRanges(resumed)(0), () => inRanges(remade)(0)],
        asks: 5,
      },
      {
        quick: 'weekly users by hour: a bit each',
        plain: 'weekly users by hour: pairs gathered',
        ways: [this.byHours('bits'), this.byHours('pairs')],
        asks: 1,
      },
    ];
  }

  private readonly bySets: Way = async (number) => {
    const range = wholeRange(this.workload, number & 7);
    const buckets = new Buckets(range.fromMs, range.toMs, 'day');
    const plan = planActive(buckets, 'mau');
    const results: ActiveResult[] = [];
    for (const {index} of this.snapshots) {
      const partial = new ActiveDaysPartial(index, plan);
      for (const {firstDay, lastDay, blocks} of partial.segments(index)) {
        const views = await Promise.all(blocks.map(({part}) => this.cache.loadWindows(part)));
        for (let day = firstDay; day <= lastDay; day++) partial.addDay(day, views);
      }
      results.push(partial.finish());
    }
    return activeAnswer('mau', buckets, mergeActive(buckets.count, results));
  };

  /** Of two weeks in the middle. */
  private byHours(form: 'bits' | 'pairs'): Way {
    const {startMs, dayCount} = this.workload;
    return async (number) => {
      const fromMs = startMs + (dayCount >> 1) * dayMs + (number & 7) * hourMs;
      const toMs = fromMs + 14 * dayMs - 1;
      const buckets = new Buckets(fromMs, toMs, 'hour');
      const plan = planActive(buckets, 'wau');
      const results: ActiveResult[] = [];
      for (const snapshot of this.snapshots) results.push(await this.activeHours(form, plan, toMs, snapshot));
      return activeAnswer('wau', buckets, mergeActive(buckets.count, results));
    };
  }

  private async activeHours(form: 'bits' | 'pairs', plan: ActivePlan, toMs: number, {index}: PartitionSnapshot) {
    const words = hourSetWords(index, plan, toMs, gatheredBytesMax) ?? Math.ceil(index.users.count / 32);
    const partial =
      form === 'bits'
        ? new HourSetsPartial(index, plan, toMs, words)
        : new ActiveHoursPartial(index, plan, toMs, Math.floor(gatheredBytesMax / gatheredRowBytes));
    do {
      for (const {rows} of partial.chunks(index)) partial.addRows(await this.cache.loadRows(rows));
    } while (partial.endPass());
    return partial.result();
  }

  // -- parts --

  /** Every chunk out of a nats-server on another machine: beside this one the way is shorter than what it does for a value. */
  parts(): Twins[] {
    const chunks = this.snapshots.flatMap(({index}) => index.chunks);
    const away: PartValues = {
      read: async (revision) => {
        await pause(wayMs);
        return this.link.values.read(revision);
      },
    };
    const loading = (aheadMax: number): Way => {
      return async () => {
        const cold = new PartsCache(away, cacheBytesMax);
        let rows = 0;
        for await (const [, view] of loadAhead(chunks, (chunk) => cold.loadRows(chunk.rows), aheadMax))
          rows += view.count;
        return String(rows);
      };
    };
    return [
      {
        quick: 'chunks of a store 1 ms away: some ahead',
        plain: 'chunks of a store 1 ms away: one by one',
        ways: [loading(loadsAheadMax), loading(1)],
        asks: 1,
      },
    ];
  }
}

function text({workload, pairs, rounds, gains}: TwinsReport): string {
  const medianOf = (name: string) =>
    fixed(spreadOf(rounds.rounds.map(({samples}) => samples[name]!.elapsedMs)).median, 2);
  return [
    `Fast paths of reports beside their plain twins, ${whole(workload.eventCount)} events of ${whole(workload.userCount)} users`,
    tableText(
      ['', 'ms', 'the plain twin', 'ms', 'gain'],
      pairs.map(([quick, plain]) => [quick, medianOf(quick), plain, medianOf(plain), ratioText(gains[quick]!)]),
    ),
    roundsText(rounds),
  ].join('\n');
}

export const twinsBench: Bench<TwinsReport> = {
  name: 'twins',
  summary: 'what each fast path of reports brings, beside its plain twin, over 10 million events',
  numbers: {events: {normal: 10_000_000, small: 20_000, help: 'events of the data set'}},
  run,
  text,
};
