// The life of a web shop, day by day: visitors, times and actions, all drawn from one seed.
//   SH1. The same options give the same bytes. The shop reads no clock, and no draw depends on its reader.
//   SH2. Entries come in the order of their times, without an end.
//   SH3. `people` visitors come for the first time within the first `days`; later ones come at the same rate.
//   SH4. Crawlers come beside the people. Their draws are from a seed of their own.

import {Random} from '../random.js';
import {crawlOf, crawlsPerVisit} from './crawl.js';
import type {ShopEntry} from './entry.js';
import {seedOf} from './seed.js';
import {Upcoming} from './upcoming.js';
import {visitOf} from './visit.js';
import {countries, Visitor} from './visitor.js';

export interface ShopOptions {
  readonly seed: number;
  /** First visits within `days`. SH3 */
  readonly people: number;
  readonly days: number;
  /** The first day: midnight UTC, epoch ms. */
  readonly startMs: number;
  /** A sale without an end: from `fromMs` on this many more people come for the first time on an average day. */
  readonly sale?: {readonly fromMs: number; readonly peoplePerDay: number};
}

const hourMs = 3_600_000;
const hoursPerDay = 24;
const dayMs = hoursPerDay * hourMs;
/** Shortest time between two visits of one visitor. */
const restMs = 10 * 60_000;

/** Days after the first visit from which a visitor does not return: this bounds the visitors that the shop holds. */
const forgottenDays = 60;

/** Weights by hour of a visitor's own day. */
const hourWeights = [8, 4, 2, 2, 2, 4, 10, 22, 36, 46, 52, 56, 60, 54, 50, 50, 54, 62, 74, 88, 96, 80, 50, 22];
/** Moods of the days of the week, from Sunday. */
const weekdayMoods = [1.25, 1.02, 0.98, 0.97, 0.98, 0.92, 1.12];

const campaigns = ['new_arrivals', 'members_week', 'season_sale'];
const campaignEveryDays = 12;
const campaignFirstDay = 6;
const campaignDays = 3;
const campaignMood = 1.6;
const saleName = 'flash_sale';

/** Shares of a day's visits, from all over the world, by hour in UTC. */
const hourShares = worldHours();

interface Start {
  readonly visitor: Visitor;
  readonly startMs: number;
  readonly campaign: string | undefined;
}

export class Shop {
  private readonly options: ShopOptions;
  private readonly random: Random;
  /** SH4 */
  private readonly crawlers: Random;
  private crawls = 0;
  /** Part of every messageId of this shop. */
  private readonly scope: string;
  /** Visitors who may return. */
  private regulars: Visitor[] = [];
  private readonly upcoming = new Upcoming();
  private people = 0;
  /** Sum of the moods of the first days, over which `people` is spread. */
  private readonly moodSum: number;
  private moodUntil = 0;
  private expected = 0;

  constructor(options: ShopOptions) {
    this.options = options;
    this.random = new Random(seedOf(options.seed, -1));
    this.crawlers = new Random(seedOf(options.seed, -2));
    this.scope = `shop${options.seed}`;
    this.moodSum = Array.from({length: options.days}, (_, day) => this.moodOf(day)).reduce(
      (sum, mood) => sum + mood,
      0,
    );
  }

  /** Entries without an end. Call it once. SH2 */
  *entries(): Generator<ShopEntry, never, void> {
    for (let day = 0; ; day++) {
      const starts = this.startsOf(day);
      for (let hour = 0, next = 0; hour < hoursPerDay; hour++) {
        const endMs = this.startOf(day) + (hour + 1) * hourMs;
        const inHour = this.saleStarts(day, hour);
        while (next < starts.length && starts[next]!.startMs < endMs) inHour.push(starts[next++]!);
        for (const start of inHour.sort(byStart)) {
          yield* this.before(start.startMs);
          this.visit(start);
        }
        yield* this.before(endMs);
      }
    }
  }

  /** Entries before `endMs`. SH2 */
  *entriesUntil(endMs: number): Generator<ShopEntry, void, void> {
    for (const entry of this.entries()) {
      if (entry.timeMs >= endMs) return;
      yield entry;
    }
  }

  private *before(endMs: number): Generator<ShopEntry, void, void> {
    for (let entry = this.upcoming.takeBefore(endMs); entry !== undefined; entry = this.upcoming.takeBefore(endMs))
      yield entry;
  }

  private visit({visitor, startMs, campaign}: Start): void {
    for (const entry of visitOf(visitor, {startMs, campaign}, this.scope)) this.upcoming.add(entry);
    if (!this.crawlers.chance(crawlsPerVisit)) return;
    const id = `${this.scope}-crawler-${this.crawls++}`;
    for (const entry of crawlOf(this.crawlers, startMs, id)) this.upcoming.add(entry);
  }

  private startOf(day: number): number {
    return this.options.startMs + day * dayMs;
  }

  /** Visits of the day without those of the sale, in the order of their starts. */
  private startsOf(day: number): Start[] {
    const campaign = campaignOf(day);
    this.regulars = this.regulars.filter(({firstDay}) => day - firstDay < forgottenDays);
    const returning = this.regulars.filter((visitor) => visitor.returnsOn(day, this.weekdayMood(day)));
    const fresh = this.newcomers(day, this.newcomerCount(day));
    return [...returning, ...fresh].flatMap((visitor) => this.startFor(visitor, day, campaign) ?? []).sort(byStart);
  }

  private newcomers(day: number, count: number): Visitor[] {
    const fresh = Array.from({length: count}, () => new Visitor(this.options.seed, this.people++, day));
    for (const visitor of fresh) if (visitor.mayReturn) this.regulars.push(visitor);
    return fresh;
  }

  /** Number of first visits on a day, rounded so that the first days have `people` in all. SH3 */
  private newcomerCount(day: number): number {
    const {people} = this.options;
    const before = this.expected;
    this.moodUntil += this.moodOf(day);
    this.expected = Math.round((people * this.moodUntil) / this.moodSum);
    return this.expected - before;
  }

  /** First visits of the sale in an hour: a day may have hundreds of thousands. */
  private saleStarts(day: number, hour: number): Start[] {
    const {sale} = this.options;
    const hourStartMs = this.startOf(day) + hour * hourMs;
    if (sale === undefined || hourStartMs + hourMs <= sale.fromMs) return [];
    const count = Math.round(sale.peoplePerDay * this.weekdayMood(day) * hourShares[hour]!);
    return this.newcomers(day, count)
      .map((visitor) => ({visitor, startMs: hourStartMs + this.random.between(0, hourMs - 1), campaign: saleName}))
      .filter(({startMs}) => startMs >= sale.fromMs);
  }

  /** Start of a visit; undefined when the visitor's last visit lasts until the day ends. */
  private startFor(visitor: Visitor, day: number, campaign: string | undefined): Start | undefined {
    const {random} = this;
    const hour = (random.weightedIndex(hourWeights) - visitor.country.offset + hoursPerDay) % hoursPerDay;
    const drawnMs = this.startOf(day) + hour * hourMs + random.between(0, hourMs - 1);
    const startMs = Math.max(drawnMs, visitor.lastMs + restMs);
    return startMs < this.startOf(day + 1) ? {visitor, startMs, campaign} : undefined;
  }

  /** Number of first visits relative to an average day. */
  private moodOf(day: number): number {
    return this.weekdayMood(day) * (campaignOf(day) === undefined ? 1 : campaignMood);
  }

  private weekdayMood(day: number): number {
    return weekdayMoods[new Date(this.startOf(day)).getUTCDay()]!;
  }
}

const byStart = (a: Start, b: Start): number => a.startMs - b.startMs;

function worldHours(): number[] {
  const weights = Array.from({length: hoursPerDay}, (_, hour) =>
    countries.reduce(
      (sum, {weight, offset}) => sum + weight * hourWeights[(hour + offset + hoursPerDay) % hoursPerDay]!,
      0,
    ),
  );
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / all);
}

function campaignOf(day: number): string | undefined {
  const since = day - campaignFirstDay;
  if (since < 0 || since % campaignEveryDays >= campaignDays) return undefined;
  return campaigns[Math.floor(since / campaignEveryDays) % campaigns.length];
}
