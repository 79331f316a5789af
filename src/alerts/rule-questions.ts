// The questions that a rule asks the reports, and how it judges the answers.
//   RQ1. A window is [end - length, end). Its end is at most the time that the published snapshots include: only late events can
//        change its value.
//   RQ2. One question gives the readings of many ends: an evaluation asks for one, a preview for thousands.
//   RQ3. Event counts of windows are differences of sums between edges. Distinct users cannot be subtracted: their windows are part
//        of the question.
//   RQ4. An absence holds once its event was seen, at any time. Until then its question covers more than the window: all time where
//        counts are stored by name. Rows are read for all time once in `lookBackMs`, and otherwise from there on.
//   RQ5. Users are those whom the question means at the last end, for all windows: a range that moves ends with its day.
import {dayMs} from '../../actors/limits.js';
import type {Condition} from '../../actors/report/rows/condition.js';
import type {WatchedQuestion} from '../asks/question/counts.js';
import {funnelPathOf} from '../asks/question/funnel-path.js';
import {conditionsOf, type SegmentUsers} from '../asks/question/members.js';
import {usersMeant} from '../asks/question/users-meant.js';
import type {ReportQuery} from '../asks/report.js';
import type {UserFilter} from '../asks/user-filter.js';
import type {FunnelDropRule, StateRule, ThresholdRule, WatchedFunnel} from './definition.js';

const minuteMs = 60_000;
/** Earliest time of an event (docs/api/events.md, Members). */
const startOfTimeMs = 0;
/** RQ4: reading the rows of 7.5 M events takes a quarter of a second of CPU, or six times as much after a start. */
const lookBackMs = 60 * minuteMs;

/** Rules that reports answer. */
export type ReportRule = Exclude<StateRule, {kind: 'lag'}>;

/** The value of a rule at one time. */
export interface Reading {
  /** Bounds of the window, epoch ms: [fromMs, toMs). */
  readonly fromMs: number;
  readonly toMs: number;
  /** Null if the window has no value: a conversion without users. */
  readonly value: number | null;
  readonly bound: number;
  /** Whether the condition holds; undefined: not judged. */
  readonly holds: boolean | undefined;
  /** Whether the event came in the window or before it; only for the kind `absence`. */
  readonly isSeen?: boolean;
  /** Rows of all time before this were read, epoch ms; absent: they were not. RQ4 */
  readonly lookedMs?: number;
}

/** Questions of a rule, and the readings from their answers: one per end. */
interface RuleQuestions {
  readonly questions: readonly ReportQuery[];
  /** `bodies`: parsed answers, in the order of the questions. */
  readonly readingsOf: (bodies: readonly unknown[]) => readonly Reading[];
}

/** Facts that a rule needs and reports do not have. */
export interface RuleContext {
  /** The event came before: an absence asks for its window alone. */
  readonly wasSeen?: true | undefined;
  /** It had not come when rows of all time before this were read, epoch ms. RQ4 */
  readonly lookedMs?: number | undefined;
  /** The saved funnel that the rule names. Undefined after its deletion: then nothing is judged. */
  readonly funnel?: WatchedFunnel | undefined;
  /** A segment that a question names. Undefined after its deletion: then nothing is judged. */
  readonly segmentOf?: ((id: string) => {readonly users: SegmentUsers} | undefined) | undefined;
}

/** Questions of a rule at these ends of windows (ascending, epoch ms). */
export function questionsOf(rule: ReportRule, ends: readonly number[], context: RuleContext = {}): RuleQuestions {
  if (rule.kind === 'funnel_drop') return funnelDrop(rule, ends, context.funnel);
  const windows = windowsOf(rule.minutes, ends);
  const chosen = chosenBy(rule.question, ends.at(-1)!, context);
  if (chosen === undefined) return unjudged(windows, rule.kind === 'threshold' ? rule.bound : 0);
  if (rule.kind === 'absence') return absence(chosen, windows, context);
  return (isOfUsers(rule) ? userThreshold : eventThreshold)(rule, chosen, windows);
}

/** Whether distinct users are counted. */
export const isOfUsers = ({question: {measure}}: ThresholdRule): boolean => measure?.of === 'users';

type Window = Pick<Reading, 'fromMs' | 'toMs'>;

const notJudged = (window: Window, bound: number): Reading => ({...window, value: null, bound, holds: undefined});

/** What the rule names was deleted. */
const unjudged = (windows: readonly Window[], bound: number): RuleQuestions => ({
  questions: [],
  readingsOf: () => windows.map((window) => notJudged(window, bound)),
});

interface CountsBody {
  readonly data: readonly {readonly count: number}[];
}

// -- counts -----------------------------------------------------------------------------------------------------------

function eventThreshold(rule: ThresholdRule, chosen: Chosen, windows: readonly Window[]): RuleQuestions {
  const sums = new WindowSums(windows);
  return {
    questions: [countQuestion(chosen, sums.edges)],
    readingsOf: ([body]) => sums.of(body as CountsBody).map((value, i) => ofThreshold(rule, windows[i]!, value)),
  };
}

function userThreshold(rule: ThresholdRule, chosen: Chosen, windows: readonly Window[]): RuleQuestions {
  return {
    questions: [userQuestion(chosen, windows)],
    readingsOf: ([body]) => (body as CountsBody).data.map(({count}, i) => ofThreshold(rule, windows[i]!, count)),
  };
}

const ofThreshold = ({op, bound}: ThresholdRule, window: Window, value: number): Reading => ({
  ...window,
  value,
  bound,
  holds: op === 'gte' ? value >= bound : value <= bound,
});

/** Readings of an absence. RQ4 */
function absence(chosen: Chosen, windows: readonly Window[], context: RuleContext): RuleQuestions {
  const sinceMs = context.wasSeen ? undefined : lookFromMs(chosen, context, windows.at(-1)!.toMs);
  const sums = new WindowSums(windows, sinceMs);
  const readsAll = sinceMs === startOfTimeMs && !isCounted(chosen);
  return {
    questions: [countQuestion(chosen, sums.edges)],
    readingsOf: ([body]) => {
      const counts = sums.of(body as CountsBody);
      return counts.map((value, i) => {
        const isSeen = context.wasSeen === true || value + sums.untilStartOf(i) > 0;
        const looked = readsAll && {lookedMs: windows[i]!.toMs};
        return {...windows[i]!, value, bound: 0, holds: value === 0 && isSeen, isSeen, ...looked};
      });
    },
  };
}

/** The time from which on an absence looks for a first event: one may come with an earlier time, late or by an import. RQ4 */
function lookFromMs(chosen: Chosen, {lookedMs}: RuleContext, endMs: number): number {
  if (lookedMs === undefined || isCounted(chosen)) return startOfTimeMs;
  return lookedMs <= endMs && endMs - lookedMs < lookBackMs ? lookedMs : startOfTimeMs;
}

const windowsOf = (minutes: number, ends: readonly number[]): readonly Window[] =>
  ends.map((toMs) => ({fromMs: toMs - minutes * minuteMs, toMs}));

/** Counts of windows, derived from the counts between their edges. RQ3 */
class WindowSums {
  /** All edges of windows, ascending. */
  readonly edges: readonly number[];
  private readonly windows: readonly Window[];
  /** Number of events before each edge. */
  private readonly before = new Map<number, number>();

  constructor(windows: readonly Window[], fromMs?: number) {
    const all = new Set(windows.flatMap((window) => [window.fromMs, window.toMs]));
    if (fromMs !== undefined) all.add(fromMs);
    this.edges = [...all].sort((a, b) => a - b);
    this.windows = windows;
  }

  of({data}: CountsBody): readonly number[] {
    let sum = 0;
    for (const [i, edge] of this.edges.entries()) {
      this.before.set(edge, sum);
      sum += data[i]?.count ?? 0;
    }
    return this.windows.map(({fromMs, toMs}) => this.before.get(toMs)! - this.before.get(fromMs)!);
  }

  untilStartOf(window: number): number {
    return this.before.get(this.windows[window]!.fromMs)!;
  }
}

/** Buckets between edges. No reader uses the labels. */
const bucketsAt = (edges: readonly number[]) =>
  ({
    fromMs: edges[0]!,
    toMs: edges.at(-1)! - 1,
    interval: 'hour',
    buckets: {edges, labels: edges.slice(1).map(String)},
  }) as const;

/** What a question chooses. */
interface Chosen {
  /** Absent: events of every name. */
  readonly event?: string | undefined;
  readonly where: readonly Condition[];
  /** Absent: all users. */
  readonly users?: UserFilter | undefined;
}

/** Undefined: its segment was deleted. RQ5 */
function chosenBy(question: WatchedQuestion, endMs: number, {segmentOf}: RuleContext): Chosen | undefined {
  const {events: [{event, where: ofEntry = []} = {}] = [], where = []} = question;
  const service = {reportZone: undefined, wallMs: () => endMs};
  const meant = usersMeant(question, segmentOf ?? (() => undefined), service);
  return meant.is === 'meant' ? {event, where: conditionsOf([...ofEntry, ...where]), users: meant.users} : undefined;
}

/** Whether counts are stored by name: no rows are read, but those of the first and the last hour. */
const isCounted = ({event, where, users}: Chosen): boolean =>
  event !== undefined && where.length === 0 && users === undefined;

const countQuestion = ({event, where, users}: Chosen, edges: readonly number[]): ReportQuery => ({
  report: 'counts',
  ...(event === undefined ? {} : {events: [event]}),
  ...bucketsAt(edges),
  where,
  ...(users && {users}),
});

/** Question for distinct users. Buckets end where windows end: the trailing windows of active users have any length in hours. */
function userQuestion({event, where, users}: Chosen, windows: readonly Window[]): ReportQuery {
  const starts = windows.map(({fromMs}) => fromMs);
  return {
    report: 'active',
    ...bucketsAt([starts[0]!, ...windows.map(({toMs}) => toMs)]),
    metric: 'dau',
    windows: starts,
    did: event === undefined ? {where} : {event, where},
    ...(users && {users}),
  };
}

// -- funnels ----------------------------------------------------------------------------------------------------------

interface FunnelBody {
  readonly steps: readonly {readonly count: number}[];
  readonly total: number;
  readonly conversion_rate: number;
}

/** Readings of a funnel. Both compared ranges have the same length, so the end of each cuts off equally many unfinished paths. */
function funnelDrop(rule: FunnelDropRule, ends: readonly number[], funnel: WatchedFunnel | undefined): RuleQuestions {
  const windows = ends.map((toMs) => ({fromMs: toMs - rule.days * dayMs, toMs}));
  if (funnel === undefined) return unjudged(windows, boundOf(rule));
  const comparesBefore = rule.lowerBy !== undefined;
  const ranges = windows.flatMap((window) => (comparesBefore ? [window, theOneBefore(window)] : [window]));
  const path = funnelPathOf(funnel.question);
  return {
    questions: ranges.map(({fromMs, toMs}) => ({report: 'funnel', ...path, fromMs, toMs: toMs - 1})),
    readingsOf: (bodies) =>
      windows.map((window, i) =>
        comparesBefore
          ? ofDrop(rule, window, bodies[2 * i] as FunnelBody, bodies[2 * i + 1] as FunnelBody)
          : ofDrop(rule, window, bodies[i] as FunnelBody, undefined),
      ),
  };
}

const theOneBefore = ({fromMs, toMs}: Window): Window => ({fromMs: fromMs - (toMs - fromMs), toMs: fromMs});

const boundOf = ({below, lowerBy}: FunnelDropRule): number => below ?? lowerBy ?? 0;

/** A reading of a funnel. The bound is the higher of the rule's bounds: a value below it is too low by at least one of them. */
function ofDrop(rule: FunnelDropRule, window: Window, now: FunnelBody, before: FunnelBody | undefined): Reading {
  const {below, lowerBy, minEntered} = rule;
  if (now.total < minEntered) return notJudged(window, boundOf(rule));
  const canCompare = before !== undefined && before.total >= minEntered;
  const lowered = canCompare ? loweredRate(before, lowerBy!) : undefined;
  const bounds = [below, lowered].filter((one) => one !== undefined);
  if (bounds.length === 0) return notJudged(window, boundOf(rule));
  const bound = Math.max(...bounds);
  const value = now.conversion_rate;
  // "Lower by y %" is reached at y %: a funnel that converts nobody is lower by 100 %.
  const isLower = canCompare && before.conversion_rate > 0 && value <= lowered!;
  return {...window, value, bound, holds: (below !== undefined && value < below) || isLower};
}

/**
 * Conversion rate that is lower by `lowerBy` per cent. It is one division of whole numbers, as a conversion rate is: a product of
 * rates misses a rate that is lower by exactly so much.
 */
const loweredRate = ({steps, total}: FunnelBody, lowerBy: number): number =>
  (steps.at(-1)!.count * (100 - lowerBy)) / (100 * total);
