// Random funnels with all of their parameters, and stories that are dense enough for paths of several steps.
import fc from 'fast-check';
import {hourMs} from '../../tools/model/calendar.js';
import {someCondition, someInterval, someProperty, someRange, someStory, someValue} from './report-worlds.js';

/** Mostly none: a path of several steps is rare enough. */
const someConditions = (weight: number) =>
  fc.oneof(
    {weight, arbitrary: fc.constant([])},
    {weight: 1, arbitrary: fc.array(someCondition, {minLength: 1, maxLength: 2})},
  );
/** Mostly all of the story. */
export const someWideRange = fc.oneof(
  {weight: 3, arbitrary: fc.constant({fromMs: Date.UTC(2024, 1, 22), toMs: Date.UTC(2024, 3, 25)})},
  {weight: 1, arbitrary: someRange},
);
const someEvents = fc.record({
  event: fc.oneof(
    {weight: 40, arbitrary: fc.constantFrom('A', 'B', 'C')},
    {weight: 1, arbitrary: fc.constant('never')},
  ),
  where: someConditions(20),
});
/** Mostly what is no step: of the steps' own events hardly a path is left. */
const someExcluded = fc.oneof(
  {weight: 1, arbitrary: someEvents},
  {weight: 2, arbitrary: fc.record({event: fc.constant('D'), where: someConditions(1)})},
);
/** Mostly ones that hold for somebody. */
const someRules = fc.record({
  where: someConditions(2),
  did: fc.array(
    fc
      .tuple(someWideRange, someEvents, fc.boolean())
      .map(([range, chosen, isAbsent]) => ({...range, ...chosen, isAbsent})),
    {maxLength: 2},
  ),
});
const someFilter = fc
  .tuple(someRules, fc.option(someRules, {nil: undefined, freq: 1}))
  .map(([rules, except]) => ({...rules, ...(except && {except})}));
export const windows = {'25h': 25 * hourMs, '9d': 9 * 24 * hourMs, '20d': 20 * 24 * hourMs};

/** Denser than other stories: users with tens of events within two weeks, some of them at the same ms. */
export const denseStory = fc
  .tuple(
    someStory,
    fc.array(
      fc.record({
        user: fc.constantFrom('ada', 'bob', 'cyd'),
        event: fc.constantFrom('A', 'B', 'C', 'D'),
        timeMs: fc.integer({min: 0, max: 14 * 24}).map((hour) => Date.UTC(2024, 1, 22, hour)),
        properties: fc.dictionary(fc.constantFrom('a', 'b'), someValue, {maxKeys: 2}),
      }),
      {minLength: 30, maxLength: 60},
    ),
  )
  .map(([story, events]) => [...story, ...events.map((event) => ({do: 'track' as const, event}))]);

export const someAsOf = fc.integer({min: 0, max: 40 * 24}).map((hour) => Date.UTC(2024, 1, 22, hour));

export const someFunnel = fc
  .record({
    steps: fc.array(someEvents, {minLength: 1, maxLength: 4}),
    order: fc.constantFrom('sequential' as const, 'sequential' as const, 'strict' as const, 'any' as const),
    window: fc.constantFrom(undefined, undefined, ...(Object.keys(windows) as (keyof typeof windows)[])),
    isOfEntries: fc.boolean(),
    where: someConditions(25),
    users: fc.option(someFilter, {nil: undefined, freq: 1}),
    exclusions: fc.array(fc.tuple(someExcluded, fc.nat(), fc.nat()), {maxLength: 2}),
    hold: fc.option(someProperty, {nil: undefined, freq: 9}),
    breakdown: fc.option(
      fc
        .record({
          by: fc.constantFrom('property' as const, 'trait' as const),
          name: someProperty,
          limit: fc.integer({min: 1, max: 4}),
        })
        .map((one) => [one]),
      {nil: undefined},
    ),
    breakdownAt: fc.oneof(fc.constantFrom('first' as const, 'last' as const), fc.integer({min: 1, max: 4})),
    interval: fc.option(
      someInterval.filter((interval) => interval !== 'hour'),
      {nil: undefined},
    ),
    histogram: fc.constantFrom(undefined, 'decimal' as const, 'clock' as const),
    hasPercentiles: fc.constantFrom(false, true as const),
  })
  .map(({isOfEntries, exclusions, steps, order, breakdownAt, ...rest}) => {
    const gaps = order === 'sequential' ? steps.length - 1 : 0;
    return {
      ...rest,
      steps,
      order,
      range: isOfEntries && rest.window !== undefined ? ('entry' as const) : ('all' as const),
      exclusions: gaps === 0 ? [] : exclusions.map(([chosen, a, b]) => ({...chosen, ...between(gaps, a, b)})),
      breakdownAt: typeof breakdownAt === 'number' ? Math.min(breakdownAt, steps.length) : breakdownAt,
    };
  });

/** Steps from 0. */
function between(gaps: number, a: number, b: number): {afterStep: number; beforeStep: number} {
  const afterStep = a % gaps;
  return {afterStep, beforeStep: afterStep + 1 + (b % (gaps - afterStep))};
}

export const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
