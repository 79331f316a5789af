// Funnels with all of their parameters, over random partitions, equal the model.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {walkedFunnelOf} from '../../../../tools/model/walked-funnel.js';
import {denseStory, given, someAsOf, someFunnel, someWideRange, windows} from '../../../support/funnel-worlds.js';
import {tell, texts, tinyBound} from '../../../support/report-worlds.js';
import {runs} from '../../../support/runs.js';

test('funnels with all of their parameters equal the model', async () => {
  const someFunnels = fc.array(fc.tuple(someFunnel, someWideRange), {minLength: 8, maxLength: 8});
  const property = fc.asyncProperty(denseStory, someAsOf, someFunnels, async (story, asOfMs, funnels) => {
    const world = tell(story, asOfMs);
    for (const [funnel, range] of funnels) {
      const {window, histogram, hasPercentiles, exclusions, ...rules} = funnel;
      const expected = walkedFunnelOf(world.model, {
        ...given({...rules, window}),
        ...texts(range),
        exclusions: exclusions.map(({afterStep, beforeStep, ...events}) => ({
          ...events,
          i: afterStep + 1,
          j: beforeStep + 1,
        })),
        histogram,
        percentiles: hasPercentiles,
        asOfMs,
      });
      const query = {
        report: 'funnel' as const,
        ...given({...rules, windowMs: window === undefined ? undefined : windows[window]}),
        ...range,
        exclusions,
        ...(histogram && {histogram}),
        ...(hasPercentiles && {hasPercentiles}),
      };
      expect(await world.ask(query)).toEqual(expected);
      expect(await world.ask(query, 8 * tinyBound)).toEqual(expected);
      expect(await world.askAgain(query)).toEqual(expected);
    }
  });
  await fc.assert(property, {numRuns: runs(60), unbiased: true});
});
