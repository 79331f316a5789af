// Speed of reports over millions of events, compared with DuckDB: funnels and filtered counts through HTTP, active users as a
// call of the engine. Every question is new; every answer equals the peer's.

import {join} from 'node:path';
import type {Figure} from '../../src/bench-run.js';
import type {Bench, Say} from '../bench.js';
import {EngineLink} from '../engine/engine-link.js';
import {HttpAsker} from '../engine/http-ask.js';
import {
  type ActiveMetric,
  type ActiveQuestion,
  activePath,
  type FilteredCountQuestion,
  type FunnelQuestion,
  filteredCountPath,
  funnelOf14,
  funnelOf14Frequent,
  funnelPath,
  type TimeRange,
  wholeRange,
} from '../engine/questions.js';
import {type Asked, Rivalry, type Sample} from '../engine/rivalry.js';
import {rowQuestions} from '../engine/row-questions.js';
import {cacheEnv, cacheOption, openStore, startOver} from '../engine/store.js';
import {type Bounds, ratioFigure} from '../figures.js';
import type {BenchService} from '../machine/service.js';
import {indexesBuilt, quieted} from '../machine/settle.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {activeFormulations} from '../peers/duckdb/active-sql.js';
import {filteredCountFormulations} from '../peers/duckdb/counts-sql.js';
import {funnelFormulations} from '../peers/duckdb/funnel-sql.js';
import {DuckDbPeer} from '../peers/duckdb/peer.js';
import {type Measure, playRounds, type Ratio, type Rounds, ratioOf, ratioText, roundsText} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical, eventMix, propertyValues, type WorkloadOptions} from '../workload/events.js';
import {funnelSteps} from '../workload/expected.js';

/** Names that are counted: frequent ones. */
const counted = eventMix.slice(0, 7).map(([name]) => name);
const filterProperties = [...Object.keys(propertyValues), 'duration_ms'];

/** A different event, property and value for each of the first hundred numbers; properties alternate. */
function filterOf(number: number): Pick<FilteredCountQuestion, 'event' | 'property' | 'value'> {
  const property = filterProperties[number % filterProperties.length]!;
  const nth = Math.floor(number / filterProperties.length);
  const nthValue = Math.floor(nth / counted.length);
  const values = propertyValues[property];
  const value = values === undefined ? String(777 + nthValue) : values[nthValue % values.length]!;
  return {event: counted[nth % counted.length]!, property, value};
}

/** Questions of one sample. The first one after the peer's turn finds the CPU's caches cold, whichever funnel it is. */
const funnelAsks = 5;
const countAsks = 4;
/** Questions for a property that are answered by a scan. */
const firstAsks = 2;
const engineAsks = 24;
/** Above the numbers of all other questions. */
const veryFirst = 800;

/** Bounds of a ratio, and which way is better. */
interface Goal extends Bounds {
  readonly better: Figure['better'];
  /** Numerator: our time or the peer's. */
  readonly of: 'ours' | 'funnel of 3';
}

const goals = {
  funnel: {better: 'more', of: 'ours', reach: 12, limit: 30},
  longFunnel: {better: 'less', of: 'funnel of 3', reach: 2, limit: 1.3},
  filteredCount: {better: 'more', of: 'ours', reach: 5, limit: 20},
  activeUsers: {better: 'more', of: 'ours', reach: 50, limit: 200},
} as const satisfies Readonly<Record<string, Goal>>;

interface Line {
  readonly name: string;
  /** Question under which the peer's times are stored. */
  readonly question: string;
  readonly goal: Goal | null;
  readonly oursMs: readonly number[];
  readonly peerMs: readonly number[] | null;
  /** Fast over slow, by round; null without a peer. */
  readonly ratio: Ratio | null;
}

export interface ReportsReport {
  readonly workload: WorkloadOptions;
  /** MEMORY_CACHE_MIB of the service. */
  readonly cacheMib: number;
  readonly peerVersion: string | null;
  readonly played: readonly Played[];
}

interface Ground {
  readonly service: BenchService;
  readonly http: HttpAsker;
  readonly links: {readonly counted: EngineLink; readonly asked: EngineLink};
  readonly peer: DuckDbPeer | null;
  readonly workload: WorkloadOptions;
  readonly options: BenchOptions;
  readonly say: Say;
}

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<ReportsReport> {
  const workload = {...canonical, userCount: 100_000, eventCount: options.numbers.events!};
  const store = await openStore(options, workload, owned, say);
  const peer = await DuckDbPeer.open(join(store.folder, 'events.duckdb'), store.linesPath, say);
  if (peer !== null) owned.add(peer);
  const service = await startOver(store, owned, cacheEnv(options));
  const http = new HttpAsker(service.baseUrl);
  owned.add({stop: () => http.close()});
  const openLink = async (newest: 'counted' | 'asked') =>
    owned.add(await EngineLink.open(service, options.numbers.cache! * 2 ** 19, newest));
  const links = {counted: await openLink('counted'), asked: await openLink('asked')};
  const ground: Ground = {service, http, links, peer, workload, options, say};
  const played: Played[] = [];
  for (const play of [playFunnels, playCounts, playActive, playRows]) played.push(told(await play(ground), say));
  return {workload, cacheMib: options.numbers.cache!, peerVersion: peer?.version ?? null, played};
}

interface Played {
  readonly lines: readonly Line[];
  readonly rounds: Rounds<Sample, string>;
  /** Ms of every way of the peer, warm, by question. */
  readonly tried: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

function told(played: Played, say: Say): Played {
  for (const {name, oursMs, peerMs} of played.lines) {
    const peer = peerMs === null ? '' : `, DuckDB ${fixed(spreadOf(peerMs).median, 1)} ms`;
    say(`${name}: ${fixed(spreadOf(oursMs).median, 2)} ms${peer}`);
  }
  for (const [name, ways] of Object.entries(played.tried)) {
    const times = Object.entries(ways).map(([way, ms]) => `${way} ${fixed(ms, 0)}`);
    if (times.length > 0) say(`DuckDB: ${name}, ways warm, ms: ${times.join(' | ')}`);
  }
  return played;
}

const peerName = (name: string): string => `DuckDB: ${name}`;

async function playFunnels({service, http, peer, workload, options, say}: Ground): Promise<Played> {
  const rivalryOf = (steps: readonly string[]) =>
    new Rivalry<FunnelQuestion>({
      questionOf: (number) => ({steps, ...wholeRange(workload, number)}),
      askOurs: async (question) => {
        const {body, elapsedMs} = await http.ask(funnelPath(question));
        return {numbers: (body as {steps: {count: number}[]}).steps.map(({count}) => count), elapsedMs};
      },
      waysOf: (question) => (peer === null ? [] : funnelFormulations(question, peer)),
      asks: funnelAsks,
      peerAsks: 1,
    });
  // Nothing is derived from the events yet; the numbers of other questions stay below this one. The start reads ahead as much as
  // fits the cache; that is not part of the question.
  await quieted(service, options);
  const firstQuestion = {steps: funnelSteps, ...wholeRange(workload, veryFirst)};
  const {elapsedMs: firstMs} = await http.ask(funnelPath(firstQuestion));
  const three = rivalryOf(funnelSteps);
  const [long, frequent] = [rivalryOf(funnelOf14), rivalryOf(funnelOf14Frequent)];
  if (peer !== null) {
    say('checking the long funnels …');
    for (const rivalry of [long, frequent]) {
      await rivalry.ours(0);
      await rivalry.check(peer, 'coded, letters');
    }
  }
  // Contenders that are compared with each other follow each other.
  const contenders: Record<string, Measure<Sample>> = {
    'funnel of 3': three.ours,
    'funnel of 14': long.ours,
    'funnel of 14, frequent events': frequent.ours,
  };
  if (peer !== null) contenders[peerName('funnel of 3')] = three.peer(peer);
  const rounds = await playRounds(contenders, options, say);
  const toThree = (name: string): Line => ({
    ...lineOf(rounds, name, null, goals.longFunnel),
    ratio: ratioOf(rounds, (samples) => samples[name]!.elapsedMs / samples['funnel of 3']!.elapsedMs),
  });
  return {
    lines: [
      lineOf(rounds, 'funnel of 3', peer, goals.funnel),
      firstLine(rounds, 'funnel of 3, the very first of the service', [firstMs], peer, 'funnel of 3'),
      toThree('funnel of 14'),
      toThree('funnel of 14, frequent events'),
    ],
    rounds,
    tried: {'funnel of 3': three.tried},
  };
}

async function playCounts({service, http, peer, workload, options, say}: Ground): Promise<Played> {
  const questionOf = (number: number): FilteredCountQuestion => ({
    ...filterOf(number),
    ...wholeRange(workload, number),
  });
  const askOurs = async (question: FilteredCountQuestion): Promise<Asked> => {
    const {body, elapsedMs} = await http.ask(filteredCountPath(question));
    return {numbers: bucketCounts(body), elapsedMs};
  };
  const firstMs: number[] = [];
  const firstNumber = firstAsks * filterProperties.length;
  for (let number = 0; number < firstNumber; number++) firstMs.push((await askOurs(questionOf(number))).elapsedMs);
  const rivalry = new Rivalry<FilteredCountQuestion>({
    questionOf: (number) => questionOf(firstNumber + number),
    askOurs,
    waysOf: (question) => (peer === null ? [] : filteredCountFormulations(question, peer)),
    asks: countAsks,
    peerAsks: countAsks,
  });
  // Ours still builds indexes for later questions: it is measured without that, and the peer must not pay for it.
  await indexesBuilt(service.baseUrl, options);
  await quieted(service, options);
  const contenders: Record<string, Measure<Sample>> = {'filtered count': rivalry.ours};
  if (peer !== null) contenders[peerName('filtered count')] = rivalry.peer(peer);
  const rounds = await playRounds(contenders, options, say);
  const first = firstLine(rounds, 'filtered count, first two of a property', firstMs, peer, 'filtered count');
  return {
    lines: [
      lineOf(rounds, 'filtered count', peer, goals.filteredCount),
      slowestLine(rounds, 'filtered count', peer),
      first,
    ],
    rounds,
    tried: {'filtered count': rivalry.tried},
  };
}

async function playActive({http, links, peer, workload, options, say}: Ground): Promise<Played> {
  const metrics: readonly ActiveMetric[] = ['dau', 'wau', 'mau'];
  const waysOf = (question: ActiveQuestion) => (peer === null ? [] : activeFormulations(question, peer));
  const contenders: Record<string, Measure<Sample>> = {};
  const tried: Record<string, Readonly<Record<string, number>>> = {};
  for (const metric of metrics) {
    const engineOf = (link: EngineLink) =>
      new Rivalry<ActiveQuestion>({
        // The engine caches no answers here: a few ranges in turn suffice, which all fit the peer's masks.
        questionOf: (number) => ({metric, ...wholeRange(workload, number & 7)}),
        askOurs: async (question) => {
          const {body, elapsedMs} = await link.ask({report: 'active', interval: 'day', ...question});
          return {numbers: bucketCounts(body), elapsedMs};
        },
        waysOf,
        asks: engineAsks,
        peerAsks: 1,
      });
    const engine = engineOf(links.counted);
    const overHttp = new Rivalry<ActiveQuestion>({
      questionOf: (number) => ({metric, ...wholeRange(workload, number)}),
      askOurs: async (question) => {
        const {body, elapsedMs} = await http.ask(activePath(question));
        return {numbers: bucketCounts(body), elapsedMs};
      },
      waysOf,
      asks: 1,
      peerAsks: 1,
    });
    tried[metric] = engine.tried;
    contenders[metric] = engine.ours;
    contenders[askingNats(metric)] = engineOf(links.asked).ours;
    contenders[`${metric} through HTTP`] = overHttp.ours;
    if (peer !== null) contenders[peerName(metric)] = engine.peer(peer);
  }
  const rounds = await playRounds(contenders, options, say);
  const lines = metrics.flatMap((metric) => [
    lineOf(rounds, metric, peer, goals.activeUsers),
    lineOf(rounds, askingNats(metric), peer, null, metric),
  ]);
  return {lines, rounds, tried};
}

/** Plays questions that rows answer: one a sample, each time over another range. */
async function playRows({http, peer, workload, options, say}: Ground): Promise<Played> {
  const contenders: Record<string, Measure<Sample>> = {};
  const tried: Record<string, Readonly<Record<string, number>>> = {};
  const firstMs = new Map<string, number>();
  for (const question of rowQuestions) {
    const askOurs = async (range: TimeRange): Promise<Asked> => {
      const {body, elapsedMs} = await http.ask(question.path(range));
      return {numbers: question.numbersOf(body), elapsedMs};
    };
    firstMs.set(question.name, (await askOurs(wholeRange(workload, veryFirst))).elapsedMs);
    const rivalry = new Rivalry<TimeRange>({
      questionOf: (number) => wholeRange(workload, number),
      askOurs,
      waysOf: (range) => (peer === null ? [] : question.waysOf(range, peer)),
      asks: 1,
      peerAsks: 1,
    });
    tried[question.name] = rivalry.tried;
    contenders[question.name] = rivalry.ours;
    if (peer !== null) contenders[peerName(question.name)] = rivalry.peer(peer);
  }
  const rounds = await playRounds(contenders, options, say);
  const lines = rowQuestions.flatMap(({name, reach}) => [
    lineOf(rounds, name, peer, {better: 'more', of: 'ours', reach, limit: 2 * reach}),
    firstLine(rounds, `${name}, first`, [firstMs.get(name)!], peer, name),
  ]);
  return {lines, rounds, tried};
}

/** The engine as with an external NATS, which each call asks for the newest snapshot. */
const askingNats = (metric: ActiveMetric): string => `${metric}, asking NATS`;

const bucketCounts = (body: unknown): number[] => (body as {data: {count: number}[]}).data.map(({count}) => count);

/** `question`: the peer's question, if it has another name. */
function lineOf(
  rounds: Rounds<Sample, string>,
  name: string,
  peer: DuckDbPeer | null,
  goal: Goal | null,
  question = name,
): Line {
  const msOf = (contender: string): number[] => rounds.rounds.map(({samples}) => samples[contender]!.elapsedMs);
  if (peer === null) return {name, question, goal, oursMs: msOf(name), peerMs: null, ratio: null};
  const ratio = ratioOf(rounds, (samples) => samples[peerName(question)]!.elapsedMs / samples[name]!.elapsedMs);
  return {name, question, goal, oursMs: msOf(name), peerMs: msOf(peerName(question)), ratio};
}

/** The slowest question of each round, on both sides: a median of few would not show one in five. */
function slowestLine(rounds: Rounds<Sample, string>, question: string, peer: DuckDbPeer | null): Line {
  const slowest = (contender: string): number[] => rounds.rounds.map(({samples}) => samples[contender]!.slowestMs);
  const line = {name: `${question}, the slowest of ${countAsks}`, question, goal: null, oursMs: slowest(question)};
  if (peer === null) return {...line, peerMs: null, ratio: null};
  const [ours, theirs] = [question, peerName(question)];
  const ratio = ratioOf(rounds, (samples) => samples[theirs]!.slowestMs / samples[ours]!.slowestMs);
  return {...line, peerMs: slowest(theirs), ratio};
}

/** The question asked before the rounds, of a service that had derived nothing; the peer's times are of the rounds. */
function firstLine(
  rounds: Rounds<Sample, string>,
  name: string,
  oursMs: readonly number[],
  peer: DuckDbPeer | null,
  question: string,
): Line {
  const bare = {name, question, goal: null, oursMs, peerMs: null, ratio: null};
  if (peer === null) return bare;
  const {median} = spreadOf(oursMs);
  const peerMs = rounds.rounds.map(({samples}) => samples[peerName(question)]!.elapsedMs);
  return {...bare, peerMs, ratio: ratioOf(rounds, (samples) => samples[peerName(question)]!.elapsedMs / median)};
}

function text({workload, cacheMib, peerVersion, played}: ReportsReport): string {
  const rows = played.flatMap(({lines, rounds}) =>
    lines.map(({name, question, goal, oursMs, peerMs, ratio}) => [
      name,
      fixed(spreadOf(oursMs).median, 2),
      peerMs === null ? '-' : `${fixed(spreadOf(peerMs).median, 1)} (${winningWays(rounds, question)})`,
      ratio === null ? '-' : ratioText(ratio, 1),
      goalText(goal),
    ]),
  );
  const peer =
    peerVersion === null ? 'PEER B WAS SKIPPED: no DuckDB here' : `DuckDB ${peerVersion}, best way of asking`;
  return [
    `Reports over ${whole(workload.eventCount)} events of ${whole(workload.userCount)} users, first asks,`,
    `MEMORY_CACHE_MIB=${cacheMib} (${peer})`,
    tableText(['', 'ours, ms', 'DuckDB, ms', 'ratio', 'reach'], rows),
    ...played.map(({rounds}) => roundsText(rounds)),
  ].join('\n');
}

function goalText(goal: Goal | null): string {
  if (goal === null) return '';
  return goal.better === 'more' ? `>= ${goal.reach}` : `<= ${fixed(goal.reach, 1)} x ${goal.of}`;
}

/** Figures of the lines that have a goal: our own times, and the ratio if there is one. */
function figures({played}: ReportsReport): Figure[] {
  const idOf = (name: string): string => name.replaceAll(/[^a-z0-9]+/g, '-');
  return played.flatMap(({lines}) =>
    lines.flatMap(({name, goal, oursMs, ratio}): Figure[] => {
      if (goal === null) return [];
      const {better, of, ...bounds} = goal;
      const ratioName = of === 'ours' ? `${name}: best DuckDB / ours` : `${name} / ${of}`;
      return [
        ...(ratio === null ? [] : [ratioFigure({id: `${idOf(name)}-ratio`, name: ratioName, better}, ratio, bounds)]),
        {id: idOf(name), name, unit: 'ms', better: 'less', samples: oursMs},
      ];
    }),
  );
}

/** The peer's ways that were the fastest of a round. */
function winningWays({rounds}: Rounds<Sample, string>, name: string): string {
  return [...new Set(rounds.map(({samples}) => samples[peerName(name)]!.peer!.way))].join('; ');
}

export const reportsBench: Bench<ReportsReport> = {
  name: 'reports',
  summary: 'funnels, filtered counts and active users over 10 million events, beside DuckDB',
  numbers: {events: {normal: 10_000_000, small: 20_000, help: 'events of the data set'}, cache: cacheOption},
  run,
  figures,
  rounds: ({played: [funnels, counts, active, rows]}) => ({
    funnels: funnels!.rounds,
    'filtered counts': counts!.rounds,
    'active users': active!.rounds,
    rows: rows!.rounds,
  }),
  text,
};
