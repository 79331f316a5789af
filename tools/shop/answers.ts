// The shop's own answers to questions of people (src/edge/openapi/questions.ts), by plain loops over its events.
import {pageViewed} from './catalogue.js';
import type {Deed, Range, ShopTruth} from './truth.js';

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
/** 1970-01-05, a Monday. */
const mondayMs = 4 * dayMs;

export class ShopAnswers {
  private readonly deeds: readonly Deed[];
  private readonly truth: ShopTruth;
  private readonly range: Range;

  /** The bounds of the range are full days, its first one a Monday. */
  constructor(truth: ShopTruth, range: Range) {
    this.truth = truth;
    this.range = range;
    this.deeds = truth.deeds(range);
  }

  private of(name: string): Deed[] {
    return this.deeds.filter((deed) => deed.name === name);
  }

  /** `number` of the deeds of each day or week. */
  private over(deeds: readonly Deed[], lengthMs: number, number: (deeds: readonly Deed[]) => number): number[] {
    const {fromMs, toMs} = this.range;
    const starts: number[] = [];
    for (let start = fromMs; start <= toMs; start += lengthMs) starts.push(start);
    return starts.map((start) => number(deeds.filter(({timeMs}) => start <= timeMs && timeMs < start + lengthMs)));
  }

  revenueByDay(): number[] {
    return this.over(this.of('order_placed'), dayMs, (orders) => sum(orders.map(spent)));
  }

  buyersByDay(): number[] {
    return this.over(this.of('order_placed'), dayMs, peopleIn);
  }

  /** The most viewed paths, and their views. */
  topPages(limit: number): (readonly [path: string, views: number])[] {
    const views = new Map<string, number>();
    for (const {properties} of this.of(pageViewed)) {
      const path = properties.path as string;
      views.set(path, (views.get(path) ?? 0) + 1);
    }
    return [...views].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, limit);
  }

  largeOrdersByWeek(): number[] {
    const large = this.of('order_placed').filter(
      (order) => spent(order) >= 5_000 && order.properties.payment !== 'invoice',
    );
    return this.over(large, weekMs, count);
  }

  eventsByWeek(name: string): number[] {
    return this.over(this.of(name), weekMs, count);
  }

  /** Orders by day at an offset of two hours from UTC, for the days of the range there. */
  ordersByDayTwoHoursAhead(): number[] {
    const shiftMs = 2 * 3_600_000;
    const {fromMs, toMs} = this.range;
    const orders = this.truth
      .deeds({fromMs: fromMs - shiftMs, toMs: toMs - shiftMs})
      .filter(({name}) => name === 'order_placed')
      .map((order) => ({...order, timeMs: order.timeMs + shiftMs}));
    return this.over(orders, dayMs, count);
  }

  /** Number of people who signed up in each week, and of those who ordered within the time after it. */
  ordersAfterSignUp(withinMs: number): (readonly [signedUp: number, ordered: number])[] {
    const {fromMs, toMs} = this.range;
    const all = this.truth.deeds({fromMs, toMs: toMs + withinMs});
    const firsts = new Map<string, number>();
    for (const {person, timeMs} of this.of('signup')) if (!firsts.has(person)) firsts.set(person, timeMs);
    const rows: (readonly [number, number])[] = [];
    for (let start = fromMs; start <= toMs; start += weekMs) {
      const cohort = [...firsts].filter(([, timeMs]) => start <= timeMs && timeMs < start + weekMs);
      const buyers = cohort.filter(([who, signUpMs]) =>
        all.some(
          ({person, name, timeMs}) =>
            person === who && name === 'order_placed' && timeMs > signUpMs && timeMs <= signUpMs + withinMs,
        ),
      );
      rows.push([cohort.length, buyers.length]);
    }
    return rows;
  }

  /**
   * Number of people at the first step and at the second, by a property of the first step of their path: the earliest first
   * step that a second one follows, else the earliest. `undefined`: the first step has no such property.
   */
  twoStepsBy(property: string, [first, second]: readonly [string, string]): Map<unknown, [number, number]> {
    const rows = new Map<unknown, [number, number]>();
    for (const deeds of this.byPerson().values()) {
      const entry = deeds.find(({name}) => name === first);
      if (entry === undefined) continue;
      const value = entry.properties[property];
      const row = rows.get(value) ?? [0, 0];
      rows.set(value, row);
      row[0] += 1;
      if (deeds.some(({name, timeMs}) => name === second && timeMs > entry.timeMs)) row[1] += 1;
    }
    return rows;
  }

  /** Seconds from the first `first` to the first `second` after it, ascending. */
  secondsBetween(first: string, second: string): number[] {
    const durations: number[] = [];
    for (const deeds of this.byPerson().values()) {
      const entry = deeds.find(({name}) => name === first);
      const end = entry && deeds.find(({name, timeMs}) => name === second && timeMs > entry.timeMs);
      if (entry !== undefined && end !== undefined) durations.push((end.timeMs - entry.timeMs) / 1_000);
    }
    return durations.sort((a, b) => a - b);
  }

  /** Number of people with `first` in the range, and of those with a `second` within the time after some `first`. */
  within(first: string, second: string, withinMs: number): readonly [number, number] {
    const {fromMs, toMs} = this.range;
    const all = this.truth.deeds({fromMs, toMs: toMs + withinMs});
    const entries = this.of(first);
    const entered = new Set(entries.map(({person}) => person));
    const reached = new Set(
      entries
        .filter((entry) =>
          all.some(
            ({person, name, timeMs}) =>
              person === entry.person && name === second && timeMs > entry.timeMs && timeMs <= entry.timeMs + withinMs,
          ),
        )
        .map(({person}) => person),
    );
    return [entered.size, reached.size];
  }

  /**
   * Number of pairs of a person and a value of the property with `first`, and of those with a later `second` of the same value.
   */
  pairs(property: string, first: string, second: string): readonly [number, number] {
    const entered = new Set<string>();
    const reached = new Set<string>();
    for (const deeds of this.byPerson().values()) {
      for (const {name, person, properties} of deeds) {
        const pair = `${person} ${String(properties[property])}`;
        if (name === first) entered.add(pair);
        if (name === second && entered.has(pair)) reached.add(pair);
      }
    }
    return [entered.size, reached.size];
  }

  /** People with `first` and no later `second`. */
  dropped(first: string, second: string): string[] {
    return [...this.byPerson()]
      .filter(([, deeds]) => {
        const entry = deeds.find(({name}) => name === first);
        return entry !== undefined && !deeds.some(({name, timeMs}) => name === second && timeMs > entry.timeMs);
      })
      .map(([person]) => person)
      .sort();
  }

  /** Number of people by week of the first sign-up, and of those who did anything in the weeks 1, 2, … after it. */
  retention(weeks: number): {readonly size: number; readonly cells: readonly number[]}[] {
    const weekOf = (timeMs: number): number => Math.floor((timeMs - mondayMs) / weekMs);
    const cohorts: {size: number; cells: number[]}[] = [];
    const firstWeek = weekOf(this.range.fromMs);
    for (let week = firstWeek; week <= weekOf(this.range.toMs); week++) {
      const cohort = [...this.byPerson().values()].filter((deeds) => {
        const signUp = deeds.find(({name}) => name === 'signup');
        return signUp !== undefined && weekOf(signUp.timeMs) === week;
      });
      const cells = Array.from({length: weeks}, (_, i) => i + 1).map(
        (after) => cohort.filter((deeds) => deeds.some(({timeMs}) => weekOf(timeMs) === week + after)).length,
      );
      cohorts.push({size: cohort.length, cells});
    }
    return cohorts;
  }

  /** Number of people active on exactly 1, 2, … days. */
  stickiness(): number[] {
    const {fromMs, toMs} = this.range;
    const people = new Array<number>((toMs + 1 - fromMs) / dayMs).fill(0);
    for (const deeds of this.byPerson().values()) {
      const days = new Set(deeds.map(({timeMs}) => Math.floor(timeMs / dayMs)));
      people[days.size - 1]! += 1;
    }
    return people;
  }

  /** Number of active people of each week whose current plan is one of these. */
  activeByWeekOn(plans: readonly string[]): number[] {
    const isOn = ({person}: Deed): boolean =>
      person.startsWith('user ') && plans.includes(this.truth.traits.get(person.slice('user '.length))?.plan as string);
    return this.over(this.deeds.filter(isOn), weekMs, peopleIn);
  }

  /** Values of a property of the name, and their numbers. */
  valuesOf(name: string, property: string): Map<unknown, number> {
    const counts = new Map<unknown, number>();
    for (const {properties} of this.of(name))
      counts.set(properties[property], (counts.get(properties[property]) ?? 0) + 1);
    return counts;
  }

  propertiesOf(name: string): Set<string> {
    return new Set(this.of(name).flatMap(({properties}) => Object.keys(properties)));
  }

  get eventCount(): number {
    return this.deeds.length;
  }

  private byPerson(): Map<string, Deed[]> {
    const people = new Map<string, Deed[]>();
    for (const deed of this.deeds) people.set(deed.person, [...(people.get(deed.person) ?? []), deed]);
    return people;
  }
}

const count = (deeds: readonly Deed[]): number => deeds.length;
const peopleIn = (deeds: readonly Deed[]): number => new Set(deeds.map(({person}) => person)).size;
const spent = ({properties}: Deed): number => properties.value as number;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0);
