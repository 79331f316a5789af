// Who got how far in a funnel, over random partitions, equals the model, on one page and on many.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {readFunnelUsersCursor} from '../../../../src/funnel-users-cursor.js';
import {formatTime} from '../../../../tools/model/calendar.js';
import {unitsOf} from '../../../../tools/model/walked-funnel.js';
import {denseStory, given, someFunnel, someWideRange, windows} from '../../../support/funnel-worlds.js';
import {tell, texts} from '../../../support/report-worlds.js';
import {runs} from '../../../support/runs.js';

interface Page {
  readonly data: readonly {id: string; kind: string; value?: string; entered_at: string; at: string}[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

test('the users of a step, on one page and on many', async () => {
  const someAsked = fc.record({
    funnel: someFunnel,
    range: someWideRange,
    step: fc.integer({min: 1, max: 4}),
    outcome: fc.constantFrom('reached' as const, 'dropped' as const),
    limit: fc.integer({min: 1, max: 3}),
  });
  const property = fc.asyncProperty(
    denseStory,
    fc.array(someAsked, {minLength: 4, maxLength: 4}),
    async (story, all) => {
      const world = tell(story);
      for (const {funnel, range, limit, ...asked} of all) {
        const {
          window,
          histogram: _h,
          hasPercentiles: _p,
          exclusions,
          breakdown: _,
          breakdownAt,
          interval,
          ...rules
        } = funnel;
        const step = Math.min(asked.step, rules.steps.length);
        const outcome = step === 1 ? 'reached' : asked.outcome;
        const units = unitsOf(world.model, {
          ...given({...rules, window}),
          ...texts(range),
          exclusions: exclusions.map(({afterStep, beforeStep, ...events}) => ({
            ...events,
            i: afterStep + 1,
            j: beforeStep + 1,
          })),
          breakdownAt,
          asOfMs: 0,
        });
        const meant = units.filter(({path}) =>
          outcome === 'reached' ? path.length >= step : path.length === step - 1,
        );
        const expected = meant.map(({path, held}) => ({
          id: path[0]!.user.id,
          kind: path[0]!.user.kind,
          ...(held === undefined ? {} : {value: held}),
          entered_at: formatTime(path[0]!.timeMs),
          at: formatTime(path[outcome === 'reached' ? step - 1 : step - 2]!.timeMs),
        }));
        const query = {
          report: 'funnel-users' as const,
          ...given({...rules, windowMs: window === undefined ? undefined : windows[window]}),
          ...range,
          exclusions,
          point: {step, outcome},
          list: 'this list',
        };
        const whole = (await world.ask({...query, limit: 1_000})) as Page;
        expect(inOrder(whole.data)).toEqual(inOrder(expected));
        expect(whole).toMatchObject({has_more: false, next_cursor: null});
        const paged: Page['data'][number][] = [];
        for (let after: ReturnType<typeof readFunnelUsersCursor>; ; ) {
          const page = (await world.ask({...query, limit, ...(after === undefined ? {} : {after})})) as Page;
          paged.push(...page.data);
          expect(page.data.length).toBe(Math.min(limit, whole.data.length - paged.length + page.data.length));
          if (!page.has_more) break;
          expect(readFunnelUsersCursor(page.next_cursor!, 'another list')).toBeUndefined();
          after = readFunnelUsersCursor(page.next_cursor!, 'this list');
        }
        expect(paged).toEqual(whole.data);
      }
    },
  );
  await fc.assert(property, {numRuns: runs(24), unbiased: true});
});

const inOrder = (items: Page['data']): string[] => items.map((item) => JSON.stringify(item)).sort();
