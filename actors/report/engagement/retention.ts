// Retention: the bucket in which a user started, and the periods in which it returned (docs/api/reports/retention.md).
//   RN1. Start events are in [from, to]. A user is in a bucket's cohort by its first start event there. With `first` only its
//        first start event ever counts, so rows of users who started before `from` are not walked.
//   RN2. A return comes after that start event in the order of the history: an event is no return to itself.
//   RN3. Calendar period k of a cohort is the k-th bucket after its own. Rolling period k is [k, k + 1) units after the start
//        event; a month has 30 days.
//   RN4. Returns count to the end of the last period. With `on_or_after` they count to `to`.
//   RN5. A cell is complete when the period of every possible member ended before `asOfMs` and before the end of RN4.
import {dayMs, hourMs} from '../../limits.js';
import {bitCount} from '../../order/bit-count.js';
import {firstPlace, lowerBound} from '../../order/search.js';
import type {Buckets} from '../counts/buckets.js';
import {SumColumns} from '../partials.js';
import type {UserPeriods} from './user-periods.js';

export type RetentionInterval = 'hour' | 'day' | 'week' | 'month';
/** Start events that make a user a member of a cohort. RN1 */
type CohortRule = 'first' | 'recurring';

export interface RetentionRules {
  /** Number of periods of a cohort. */
  readonly periods: number;
  readonly cohort: CohortRule;
  /** Whether a user counts as returning in a period only, or also when it returns later. */
  readonly criteria: 'on' | 'on_or_after';
  readonly frame: 'calendar' | 'rolling';
}

/** Length of a rolling period. RN3 */
const unitMs: Readonly<Record<RetentionInterval, number>> = {
  hour: hourMs,
  day: dayMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
};

/** The periods of each cohort. */
export class Periods {
  readonly cohorts: Buckets;
  readonly rules: RetentionRules;
  /** Undefined for calendar periods. */
  private readonly unitMs: number | undefined;
  /** Edges of the cohorts' buckets, then those of the buckets after them. */
  readonly edges: Float64Array;

  /** `laterEnds`: ends of the buckets after the last cohort's: one fewer than periods. */
  constructor(cohorts: Buckets, interval: RetentionInterval, rules: RetentionRules, laterEnds: readonly number[]) {
    this.cohorts = cohorts;
    this.rules = rules;
    this.unitMs = rules.frame === 'rolling' ? unitMs[interval] : undefined;
    this.edges = Float64Array.from([...cohorts.edges, ...laterEnds]);
  }

  /** Start of a period for a user who started at `startMs`. RN3 */
  startOf(cohort: number, startMs: number, period: number): number {
    return this.unitMs === undefined ? this.edges[cohort + period] : startMs + period * this.unitMs;
  }

  /** Whether a member who started at `startMs` counts in a period. `returns`: times, ascending; those from `first` on follow the start. */
  isBack(cohort: number, startMs: number, period: number, returns: readonly number[], first: number): boolean {
    if (first === returns.length) return false;
    const fromMs = this.startOf(cohort, startMs, period);
    if (this.rules.criteria === 'on_or_after') return returns[returns.length - 1] >= fromMs;
    const next = firstPlace(first, returns.length, (place) => returns[place] < fromMs);
    return next < returns.length && returns[next] < this.startOf(cohort, startMs, period + 1);
  }

  /** End of the stretch that is read, inclusive. RN4 */
  get lastMs(): number {
    const {rules, cohorts, unitMs} = this;
    if (rules.criteria === 'on_or_after') return cohorts.toMs;
    const endMs =
      unitMs === undefined ? this.edges[cohorts.count - 1 + rules.periods] : cohorts.toMs + rules.periods * unitMs;
    return endMs - 1;
  }

  /** Whether a cell is complete. RN5 */
  isComplete(cohort: number, period: number, asOfMs: number): boolean {
    const {rules, cohorts, edges, unitMs} = this;
    const endMs = unitMs === undefined ? edges[cohort + period + 1] : edges[cohort + 1] + (period + 1) * unitMs;
    return endMs <= asOfMs && (rules.criteria === 'on' || endMs <= cohorts.toMs + 1);
  }
}

/** Sets of the users of one bucket (bucket-sets.ts). */
export interface ReturnSets {
  /** Users with a start event. */
  readonly starts: Uint32Array;
  /** Users with a return. */
  readonly returns: Uint32Array;
  /** Users with a return after their first start event of the bucket. */
  readonly returnsWithin: Uint32Array;
}

/** Bits of a row's kind; the bits above them are its series. */
export const startBit = 1;
export const returnBit = 2;
export const seriesShift = 2;

/** Receives a member of a cohort: the place of its start event, and its number of returns up to it. */
type NoteMember = (cohort: number, at: number, returnsBefore: number) => void;

/** Visits the cohorts of one user, whose rows are [start, end) of both columns. RN1 */
export function forEachMembership(
  {cohorts, rules}: Periods,
  times: Float64Array,
  kinds: Uint32Array,
  start: number,
  end: number,
  note: NoteMember,
): void {
  let newest = -1;
  let returns = 0;
  for (let at = start; at < end; at++) {
    if ((kinds[at] & returnBit) !== 0) returns += 1; // RN2
    if ((kinds[at] & startBit) === 0) continue;
    const cohort = cohorts.indexOf(times[at]);
    if (cohort === newest) continue;
    newest = cohort;
    note(cohort, at, returns);
    if (rules.cohort === 'first') return;
  }
}

/** Sizes and cells of each series. Series 0 is the unbroken one and includes every member. */
export class RetentionCells {
  readonly periods: Periods;
  private readonly sizes: Float64Array;
  private readonly counts: Float64Array;
  readonly sums: SumColumns;
  /** Times of the current user's returns. */
  private returns = new Float64Array(64);
  /** Buckets of one user's returns. */
  private readonly returnBuckets: Uint32Array;

  constructor(periods: Periods, seriesCount: number) {
    this.periods = periods;
    this.sizes = new Float64Array(seriesCount * periods.cohorts.count);
    this.counts = new Float64Array(this.sizes.length * periods.rules.periods);
    this.sums = new SumColumns([this.sizes, this.counts]);
    this.returnBuckets = new Uint32Array(periods.edges.length);
  }

  /**
   * Calendar periods of all members of a partition, without series. RN3
   * `buckets`: to the last one with returns that count (RN4). `members`: users who may be in a cohort.
   */
  *addSets(buckets: readonly ReturnSets[], members: Uint32Array): Generator<void, void, void> {
    const {cohorts, rules} = this.periods;
    const left = members.slice();
    const later = rules.criteria === 'on_or_after' ? unionsFrom(buckets) : undefined;
    for (let cohort = 0; cohort < cohorts.count; cohort++) {
      const {starts, returnsWithin} = buckets[cohort];
      const own = starts.map((word, i) => word & left[i]);
      if (rules.cohort === 'first') for (let i = 0; i < own.length; i++) left[i] &= ~own[i]; // RN1
      this.sizes[cohort] += countIn(own, own);
      const firstCell = cohort * rules.periods;
      this.counts[firstCell] += countIn(own, returnsWithin, later?.[cohort + 1]);
      for (let period = 1; period < rules.periods && cohort + period < buckets.length; period++)
        this.counts[firstCell + period] += countIn(own, later?.[cohort + period] ?? buckets[cohort + period].returns);
      yield;
    }
  }

  /** Calendar periods of the user at this place. RN3 */
  addPeriods(users: UserPeriods, place: number): void {
    const {periods, returnBuckets} = this;
    const {cohorts, rules} = periods;
    let cohort = 0;
    while (cohort < cohorts.count && !users.hasStart(place, cohort)) cohort += 1;
    if (cohort === cohorts.count) return;
    let returnCount = 0;
    for (let bucket = cohort; bucket < users.bucketCount; bucket++)
      if (users.hasReturn(place, bucket)) returnBuckets[returnCount++] = bucket;
    const cohortEnd = rules.cohort === 'first' ? cohort + 1 : cohorts.count; // RN1
    for (let nextReturn = 0; cohort < cohortEnd; cohort++) {
      if (!users.hasStart(place, cohort)) continue;
      while (nextReturn < returnCount && returnBuckets[nextReturn] <= cohort) nextReturn += 1;
      const series = users.seriesOf(place, cohort);
      const isWithin = users.returnsWithin(place, cohort);
      this.addMemberOf(0, cohort, isWithin, nextReturn, returnCount);
      if (series > 0) this.addMemberOf(series, cohort, isWithin, nextReturn, returnCount);
    }
  }

  /** `isWithin`: the member returned within its cohort's bucket; buckets of later returns are [nextReturn, returnCount). */
  private addMemberOf(
    series: number,
    cohort: number,
    isWithin: boolean,
    nextReturn: number,
    returnCount: number,
  ): void {
    const {periods, returnBuckets, counts} = this;
    const {rules} = periods;
    const place = series * periods.cohorts.count + cohort;
    const firstCell = place * rules.periods;
    this.sizes[place] += 1;
    if (rules.criteria === 'on_or_after') {
      const last = nextReturn < returnCount ? returnBuckets[returnCount - 1] - cohort : isWithin ? 0 : -1;
      for (let period = 0; period < rules.periods && period <= last; period++) counts[firstCell + period] += 1;
      return;
    }
    if (isWithin) counts[firstCell] += 1;
    for (let at = nextReturn; at < returnCount && returnBuckets[at] - cohort < rules.periods; at++)
      counts[firstCell + returnBuckets[at] - cohort] += 1;
  }

  addUser(times: Float64Array, kinds: Uint32Array, start: number, end: number): void {
    const returnCount = this.findReturns(times, kinds, start, end);
    forEachMembership(this.periods, times, kinds, start, end, (cohort, at, returnsBefore) => {
      const series = kinds[at] >>> seriesShift;
      this.addMember(0, cohort, times[at], returnsBefore, returnCount);
      if (series > 0) this.addMember(series, cohort, times[at], returnsBefore, returnCount);
    });
  }

  private findReturns(times: Float64Array, kinds: Uint32Array, start: number, end: number): number {
    if (this.returns.length < end - start) this.returns = new Float64Array((end - start) * 2);
    let count = 0;
    for (let at = start; at < end; at++) if ((kinds[at] & returnBit) !== 0) this.returns[count++] = times[at];
    return count;
  }

  /** Adds a member with the returns [firstReturn, returnCount). */
  private addMember(series: number, cohort: number, startMs: number, firstReturn: number, returnCount: number): void {
    const {periods, returns, counts} = this;
    const {rules} = periods;
    const place = series * periods.cohorts.count + cohort;
    const firstCell = place * rules.periods;
    this.sizes[place] += 1;
    if (firstReturn === returnCount) return;
    if (rules.criteria === 'on_or_after') {
      const lastMs = returns[returnCount - 1];
      for (let period = 0; period < rules.periods && periods.startOf(cohort, startMs, period) <= lastMs; period++)
        counts[firstCell + period] += 1;
      return;
    }
    // The first return at or after the start of the period.
    let next = firstReturn;
    for (let period = 0; period < rules.periods && next < returnCount; period++) {
      const endMs = periods.startOf(cohort, startMs, period + 1);
      if (returns[next] >= endMs) continue;
      counts[firstCell + period] += 1;
      next = lowerBound(returns, endMs, next, returnCount);
    }
  }

  size(series: number, cohort: number): number {
    return this.sizes[series * this.periods.cohorts.count + cohort];
  }

  count(series: number, cohort: number, period: number): number {
    const {cohorts, rules} = this.periods;
    return this.counts[(series * cohorts.count + cohort) * rules.periods + period];
  }
}

/** Number of users of the first set who are in one of the others. */
function countIn(users: Uint32Array, one: Uint32Array, other: Uint32Array = one): number {
  let count = 0;
  for (let word = 0; word < users.length; word++) count += bitCount(users[word] & (one[word] | other[word]));
  return count;
}

/** Users with a return in the bucket or a later one, by bucket. */
function unionsFrom(buckets: readonly ReturnSets[]): Uint32Array[] {
  const unions = buckets.map(({returns}) => returns.slice());
  for (let bucket = unions.length - 2; bucket >= 0; bucket--)
    for (let word = 0; word < unions[bucket].length; word++) unions[bucket][word] |= unions[bucket + 1][word];
  return unions;
}

/** `"cohorts":[…],"overall":[…]` of one series. */
export function retentionFields(
  cells: RetentionCells,
  series: number,
  labels: readonly string[],
  asOfMs: number,
): string {
  const {periods} = cells;
  const all = Array.from({length: periods.rules.periods}, (_, period) => period);
  const cohorts = labels.map((label, cohort) => {
    const texts = all.map((period) => {
      const incomplete = periods.isComplete(cohort, period, asOfMs) ? '' : ',"incomplete":true';
      return `{"count":${cells.count(series, cohort, period)}${incomplete}}`;
    });
    return `{"date":"${label}","size":${cells.size(series, cohort)},"cells":[${texts.join()}]}`;
  });
  const overall = all.map((period) => overallOf(cells, series, period, asOfMs));
  return `"cohorts":[${cohorts.join()}],"overall":[${overall.join()}]`;
}

/** Sum over the complete cells of a period: a mean of rates would weigh small cohorts like large ones. */
function overallOf(cells: RetentionCells, series: number, period: number, asOfMs: number): string {
  const {periods} = cells;
  let [count, size] = [0, 0];
  for (let cohort = 0; cohort < periods.cohorts.count; cohort++) {
    if (!periods.isComplete(cohort, period, asOfMs)) continue;
    count += cells.count(series, cohort, period);
    size += cells.size(series, cohort);
  }
  return `{"count":${count},"size":${size},"rate":${size === 0 ? null : count / size}}`;
}

/** Number of members of all cohorts of a series. */
export function membersOf(cells: RetentionCells, series: number): number {
  let members = 0;
  for (let cohort = 0; cohort < cells.periods.cohorts.count; cohort++) members += cells.size(series, cohort);
  return members;
}
