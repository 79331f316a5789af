// Verdicts on runs of benches, against a plain permutation; what is joined, what is short of its reach, what is taken away.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {readAddress} from '../../dashboard/src/address/codec.js';
import {quantileOf, spreadOf} from '../../dashboard/src/charts/spread.js';
import {benchmarksForm, queryOf} from '../../dashboard/src/pages/benchmarks/benchmarks-form.js';
import {
  breakBetween,
  comparableBefore,
  differences,
  newestPair,
} from '../../dashboard/src/pages/benchmarks/comparability.js';
import {
  bandMin,
  bandOf,
  type Comparison,
  compareRuns,
  summaryOf,
  type Verdict,
  verdicts,
} from '../../dashboard/src/pages/benchmarks/comparison.js';
import {comparisonHtml, comparisonMarkdown} from '../../dashboard/src/pages/benchmarks/comparison-text.js';
import {changedFiles, changeText, numberText, offText} from '../../dashboard/src/pages/benchmarks/figure-text.js';
import {mannWhitneyP} from '../../dashboard/src/pages/benchmarks/mann-whitney.js';
import {historiesOf, shortOfReach} from '../../dashboard/src/pages/benchmarks/run-history.js';
import {type Figure, type ListedRun, roundsMax} from '../../src/bench-run.js';
import {benchRunOf, dayTime, figureOf, listedRunOf} from '../support/bench-runs.js';

/** Every way of giving `count` of the values to the first side. */
function* choices(values: readonly number[], count: number): Generator<{a: number[]; b: number[]}> {
  if (count === 0) yield {a: [], b: [...values]};
  else if (values.length === count) yield {a: [...values], b: []};
  else {
    const [first, ...rest] = values;
    for (const {a, b} of choices(rest, count - 1)) yield {a: [first!, ...a], b};
    for (const {a, b} of choices(rest, count)) yield {a, b: [first!, ...b]};
  }
}

/** How far the wins of one side are from half of all pairs; a tie is half a win. */
function distance(a: readonly number[], b: readonly number[]): number {
  const wins = a.flatMap((left) => b.map((right) => (left > right ? 1 : left === right ? 0.5 : 0)));
  return Math.abs(wins.reduce<number>((sum, win) => sum + win, 0) - (a.length * b.length) / 2);
}

function permutationP(a: readonly number[], b: readonly number[]): number {
  const all = [...choices([...a, ...b], a.length)].map((one) => distance(one.a, one.b));
  return all.filter((one) => one >= distance(a, b)).length / all.length;
}

const samples = fc.array(fc.integer({min: 0, max: 8}), {minLength: 1, maxLength: 6});

describe('the exact test', () => {
  test('is the share of all permutations that are at least as far apart, ties included', () => {
    fc.assert(
      fc.property(samples, samples, (a, b) => {
        expect(mannWhitneyP(a, b)).toBeCloseTo(permutationP(a, b), 9);
        expect(mannWhitneyP(b, a)).toBeCloseTo(mannWhitneyP(a, b), 9);
      }),
    );
  });

  test('looks at the order alone', () => {
    fc.assert(
      fc.property(samples, samples, (a, b) => {
        const grown = (values: readonly number[]): number[] => values.map((value) => value ** 3 + 7);
        expect(mannWhitneyP(grown(a), grown(b))).toBeCloseTo(mannWhitneyP(a, b), 9);
      }),
    );
  });

  test('four rounds that are all apart are enough, three are not', () => {
    expect(mannWhitneyP([1, 2, 3, 4], [5, 6, 7, 8])).toBeCloseTo(2 / 70, 12);
    expect(mannWhitneyP([1, 2, 3], [5, 6, 7])).toBeCloseTo(0.1, 12);
  });

  test('is quick with the most rounds that a run may have', () => {
    const a = Array.from({length: roundsMax}, (_, at) => at);
    const b = a.map((value) => value + 30.5);
    expect(mannWhitneyP(a, b)).toBeLessThan(1e-9);
    expect(
      mannWhitneyP(
        a,
        a.map((value) => value + 0.5),
      ),
    ).toBeGreaterThan(0.8);
  });
});

const runOn = (day: number, values: readonly number[], changed: Partial<Figure> = {}): ListedRun =>
  listedRunOf({time: dayTime(day), figures: [figureOf({samples: values, ...changed})]});
const verdictOf = (comparison: Comparison): Verdict => comparison.rows[0]!.verdict;
const otherHost = {...benchRunOf().host, cpu: 'Another'};

describe('the verdict', () => {
  const five = (median: number): number[] => [0.99, 0.995, 1, 1.005, 1.01].map((part) => median * part);

  test.each<[string, number, number, Figure['better'], Verdict]>([
    ['more of what shall be more', 1, 1.2, 'more', 'better'],
    ['less of what shall be more', 1, 0.8, 'more', 'worse'],
    ['less of what shall be less', 1, 0.8, 'less', 'better'],
    ['more of what shall be less', 1, 1.2, 'less', 'worse'],
    ['a change within two percent', 1, 1.015, 'more', 'no difference seen'],
    ['no change', 1, 1, 'less', 'no difference seen'],
  ])('%s', (_, before, after, better, verdict) => {
    const [a, b] = [runOn(1, five(before), {better}), runOn(2, five(after), {better})];
    expect(verdictOf(compareRuns(a, b, [a, b]))).toBe(verdict);
  });

  test('samples that overlap are no difference, however far their medians are apart', () => {
    const [a, b] = [runOn(1, [1, 1, 1, 5, 5]), runOn(2, [1, 1, 5, 5, 5])];
    expect(compareRuns(a, b, [a, b]).rows[0]).toMatchObject({change: 4, verdict: 'no difference seen'});
  });

  test('fewer than four rounds on either side have none', () => {
    for (const [before, after] of [
      [3, 5],
      [5, 3],
      [1, 1],
    ] as const) {
      const [a, b] = [runOn(1, five(1).slice(0, before)), runOn(2, five(9).slice(0, after))];
      expect(compareRuns(a, b, [a, b]).rows[0]).toMatchObject({verdict: 'too few rounds', p: undefined});
    }
  });

  test('on another host only ratios keep it', () => {
    const figures = (median: number): Figure[] => [
      figureOf({samples: five(median)}),
      figureOf({id: 'cpu', name: 'CPU', unit: 'CPU s', samples: five(median)}),
    ];
    const a = listedRunOf({time: dayTime(1), host: otherHost, figures: figures(1)});
    const b = listedRunOf({time: dayTime(2), figures: figures(2)});
    const {rows, isOtherHost} = compareRuns(a, b, [a, b]);
    expect(isOtherHost).toBe(true);
    expect(rows.map(({figure, verdict}) => [figure.id, verdict])).toEqual([
      ['floor-to-ours', 'better'],
      ['cpu', 'other host'],
    ]);
    expect(summaryOf(rows)).toBe('0 worse, 1 better, 0 no difference seen, 1 not judged on another host');
  });

  test('a change to both sides never turns better into better', () => {
    const rounds = fc.array(fc.double({min: 0.5, max: 2, noNaN: true}), {minLength: 4, maxLength: 6});
    fc.assert(
      fc.property(rounds, rounds, (before, after) => {
        const [a, b] = [runOn(1, before), runOn(2, after)];
        const [there, back] = [verdictOf(compareRuns(a, b, [a, b])), verdictOf(compareRuns(b, a, [a, b]))];
        if (there === 'better' || there === 'worse') expect(back).not.toBe(there);
      }),
    );
  });

  test('worse is first, then better, too few, the rest; none is lost', () => {
    const kinds = [1, 1.5, 0.5, 2, 0.9, 1.01];
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...kinds), fc.constantFrom(2, 5)), {minLength: 1, maxLength: 12}),
        (drawn) => {
          const figures = (side: 'a' | 'b'): Figure[] =>
            drawn.map(([factor, count], at) =>
              figureOf({id: `f-${at}`, samples: five(side === 'a' ? 1 : factor).slice(0, count)}),
            );
          const a = listedRunOf({time: dayTime(1), figures: figures('a')});
          const b = listedRunOf({time: dayTime(2), figures: figures('b')});
          const {rows} = compareRuns(a, b, [a, b]);
          const ranks = rows.map(({verdict}) => verdicts.indexOf(verdict));
          expect(ranks).toEqual([...ranks].sort((x, y) => x - y));
          expect(rows.map(({figure}) => figure.id).sort()).toEqual(
            figures('b')
              .map(({id}) => id)
              .sort(),
          );
        },
      ),
    );
  });

  test('a figure that only one of them has is named', () => {
    const a = listedRunOf({time: dayTime(1), figures: [figureOf(), figureOf({id: 'peer', name: 'Peer'})]});
    const b = listedRunOf({time: dayTime(2), figures: [figureOf(), figureOf({id: 'new', name: 'New'})]});
    expect(compareRuns(a, b, [a, b])).toMatchObject({onlyA: ['Peer'], onlyB: ['New']});
  });
});

describe('the band of noise', () => {
  const rows = (medians: readonly number[]): ListedRun[] => medians.map((median, day) => runOn(day, [median]));

  test('is three quarters of what neighbours differ by, and needs six of them', () => {
    const steps = [1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07];
    const medians = [1];
    for (const step of steps) medians.push(medians.at(-1)! * step);
    const runs = rows(medians);
    const of = runs.at(-1)!;
    expect(bandOf('floor-to-ours', of, runs)).toBeCloseTo(
      quantileOf(
        steps.map((step) => step - 1),
        0.75,
      ),
      9,
    );
    expect(bandOf('floor-to-ours', of, runs.slice(-6))).toBe(bandMin);
    expect(bandOf('another', of, runs)).toBe(bandMin);
  });

  test('knows nothing of other hosts, other benches, and of steps to other options', () => {
    const runs = rows([1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7]);
    const of = runs.at(-1)!;
    const foreign = [runOn(3, [9]), {...runOn(4, [9]), bench: 'latency'}, {...runOn(5, [9]), host: otherHost}].slice(
      1,
    ) as ListedRun[];
    const mixed = runs.flatMap((run, at) => [run, ...(at % 2 === 0 ? foreign : [])]);
    expect(bandOf('floor-to-ours', of, mixed)).toBe(bandOf('floor-to-ours', of, runs));
    const otherOptions = {...runOn(9, [9]), options: {...of.options, partitions: 1}};
    const last = {...runOn(10, [1.7])};
    expect(bandOf('floor-to-ours', of, [...runs, otherOptions, last])).toBe(bandOf('floor-to-ours', of, runs));
  });

  test('is never below two percent, and looks at the last 30 runs alone', () => {
    const still = rows(new Array(12).fill(1));
    expect(bandOf('floor-to-ours', still.at(-1)!, still)).toBe(bandMin);
    const wild = Array.from({length: 40}, (_, day) => runOn(0, [day < 10 ? (day % 2) + 1 : 1]));
    expect(bandOf('floor-to-ours', wild.at(-1)!, wild)).toBe(bandMin);
  });
});

describe('the history', () => {
  const anyRun = fc
    .tuple(fc.constantFrom('ingest', 'latency'), fc.boolean(), fc.constantFrom(1, 4))
    .map(([bench, isOther, partitions]) => ({
      bench,
      host: isOther ? otherHost : benchRunOf().host,
      options: {...benchRunOf().options, partitions},
    }));

  test('only runs of one host with the same options are joined, and each break has its word', () => {
    fc.assert(
      fc.property(fc.array(anyRun, {maxLength: 14}), (drawn) => {
        const runs = drawn.map((changed, day) => listedRunOf({...changed, time: dayTime(day)}));
        const histories = historiesOf(runs);
        expect(histories.flatMap((history) => history.runs)).toHaveLength(runs.length);
        for (const {figures, bench} of histories) {
          const {points} = figures[0]!;
          for (const [at, {run, breakBefore}] of points.entries()) {
            expect(run.bench).toBe(bench);
            const before = points[at - 1]?.run;
            const isOtherHost = before !== undefined && before.host.cpu !== run.host.cpu;
            const isOtherOptions = before !== undefined && before.options.partitions !== run.options.partitions;
            expect(breakBefore).toBe(isOtherHost ? 'other host' : isOtherOptions ? 'other options' : undefined);
          }
        }
      }),
    );
  });

  test('the newest pair is of one bench, host and options', () => {
    fc.assert(
      fc.property(fc.array(anyRun, {maxLength: 14}), (drawn) => {
        const runs = drawn.map((changed, day) => listedRunOf({...changed, time: dayTime(day)}));
        const pair = newestPair(runs);
        const isPair = (a: ListedRun, b: ListedRun): boolean => a.bench === b.bench && breakBetween(a, b) === undefined;
        const all = runs.flatMap((b, at) =>
          runs
            .slice(0, at)
            .filter((a) => isPair(a, b))
            .map((a) => [a.id, b.id]),
        );
        expect(pair && [pair.a.id, pair.b.id]).toEqual(all.at(-1));
        if (pair !== undefined) expect(comparableBefore(runs, pair.b)).toBe(pair.a);
      }),
    );
  });

  test('what is short of its reach is worst first; what meets it is not there', () => {
    const figures = fc.array(
      fc.record({
        median: fc.double({min: 0.01, max: 100, noNaN: true}),
        reach: fc.option(fc.double({min: 0.01, max: 100, noNaN: true}), {nil: undefined}),
        better: fc.constantFrom('more' as const, 'less' as const),
      }),
      {maxLength: 10},
    );
    fc.assert(
      fc.property(figures, (drawn) => {
        const of = drawn.map(({median, reach, better}, at) =>
          figureOf({id: `f-${at}`, samples: [median], better, ...(reach === undefined ? {} : {reach})}),
        );
        const short = shortOfReach(historiesOf([listedRunOf({figures: of})]));
        const wanted = drawn.filter(
          ({median, reach, better}) => reach !== undefined && (better === 'more' ? median < reach : median > reach),
        );
        expect(short.map(({times}) => times)).toEqual(short.map(({times}) => times).sort((a, b) => b - a));
        expect(short.map(({figure}) => figure.id).sort()).toEqual(
          wanted.map((one) => `f-${drawn.indexOf(one)}`).sort(),
        );
      }),
    );
  });

  test('a figure is judged by its newest run, also where a later run lacks it', () => {
    const runs = [
      runOn(1, [1], {reach: 2}),
      runOn(2, [3], {reach: 2}),
      listedRunOf({time: dayTime(3), figures: [figureOf({id: 'x'})]}),
    ];
    expect(shortOfReach(historiesOf(runs))).toEqual([]);
    expect(historiesOf(runs)[0]!.figures.map(({figure}) => figure.id)).toEqual(['x', 'floor-to-ours']);
  });
});

test('differences name what changed, however deep', () => {
  const {options} = benchRunOf();
  expect(differences(options, {...options, partitions: 1, numbers: {events: 5}})).toEqual([
    'partitions 4 → 1',
    'events none → 5',
  ]);
  expect(differences(options, {...options})).toEqual([]);
});

test('numbers keep three digits, shares say which way they are off', () => {
  expect([0.1073, 12, 1.8, 57_700.4].map(numberText)).toEqual(['0.107', '12.0', '1.80', '57,700']);
  expect([offText({better: 'more'}, 2), offText({better: 'less'}, 1.26), offText({better: 'less'}, 3)]).toEqual([
    '50\u2009% short',
    '26\u2009% over',
    '3.00 times the target',
  ]);
  expect([0.1, -0.05, 0, Number.POSITIVE_INFINITY].map(changeText)).toEqual([
    '+10.0\u2009%',
    '−5.0\u2009%',
    '0.0\u2009%',
    'from 0',
  ]);
  const changed = listedRunOf({versions: {changed: ' M a.ts\n M b.ts'}});
  expect([changedFiles(changed).length, changedFiles(listedRunOf()).length]).toEqual([2, 0]);
  expect(spreadOf([3, 1, 2, 10])).toEqual({median: 2.5, low: 1, high: 10});
});

test('the address of every question gives it back', () => {
  const id = listedRunOf().id;
  const asked = {show: 'compare', bench: 'ingest', a: id, b: id} as const;
  const {question, problems} = readAddress(benchmarksForm, queryOf(asked));
  expect([question, problems]).toEqual([{...asked, run: null}, []]);
  expect(readAddress(benchmarksForm, '?run=../x&bench=A').problems.map(({name}) => name)).toEqual(['bench', 'run']);
});

describe('what is taken away', () => {
  const odd = figureOf({name: '<img src=x> | `b`\n**c**', samples: [1, 1, 1, 1]});
  const a = listedRunOf({time: dayTime(1), figures: [odd]});
  const b = listedRunOf({time: dayTime(2), figures: [{...odd, samples: [2, 2, 2, 2]}], host: otherHost});
  const comparison = compareRuns(a, b, [a, b]);

  test('as Markdown: a row a figure, and nothing of a name is markup', () => {
    const text = comparisonMarkdown(comparison);
    const rows = text.split('\n').filter((line) => line.startsWith('|'));
    expect(rows).toHaveLength(3);
    for (const row of rows) expect(row.match(/(?<!\\)\|/g)).toHaveLength(7);
    expect(text).toContain('\\<img src=x\\> \\| \\`b\\` \\*\\*c\\*\\*');
    expect(text).toContain('Different hosts: cpu AMD EPYC → Another');
    expect(text).toContain('+100.0');
  });

  test('as one HTML file that asks for nothing and runs nothing', () => {
    const text = comparisonHtml(comparison);
    expect(text).toContain('&lt;img src=x&gt;');
    expect(text).not.toMatch(/<(img|script|link|a)\b|src=["h]|url\(|@import/);
    expect(text).toContain("default-src 'none'");
    expect(text).toContain('<td class="better">better</td>');
  });
});
