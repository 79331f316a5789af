// Questions for funnels.
//   FQ1. A member that is absent is not as one with its default: without any of the members that only rows answer, the answer is
//        that of a plain funnel, which has fewer fields.
import {z} from 'zod';
import {exclusionsMax, funnelStepsMax} from '../../../actors/limits.js';
import {stepOrders} from '../../../actors/report/funnel/path-rules.js';
import {windowPattern, windowRule} from '../../conversion-window.js';
import {
  breakdownIn,
  breakdownShape,
  chosenEvents,
  compare,
  flag,
  intervals,
  name,
  namesOne,
  object,
  range,
  text,
  timezone,
  users,
  weekStarts,
  where,
  wholeNumber,
  word,
} from './members.js';

const stepNumber = () => wholeNumber(1, funnelStepsMax);

export const funnel = object({
  report: z.literal('funnel', 'funnel').describe('Conversion over a sequence of events.'),
  steps: z
    .array(chosenEvents, 'a list of events')
    .min(1, 'a list of at least one event')
    .max(funnelStepsMax, `at most ${funnelStepsMax} events`)
    .describe('The events that form the funnel, in order.'),
  range,
  timezone,
  compare,
  window: text(windowRule, (text) => windowPattern.test(text))
    .meta({pattern: windowPattern.source})
    .optional()
    .describe('The time from the first step to the last one, inclusive: seconds, or `30m`, `12h`, `7d`.'),
  in_range: word(['all', 'entry'])
    .optional()
    .describe(
      '`entry`: the first event of a path lies in the range, and its path goes on for the `window`, which is required. ' +
        '`undecided` then counts those who may still convert. Default: `all`, every step lies in the range.',
    ),
  order: word(stepOrders)
    .optional()
    .describe(
      '`strict`: no other event of the user lies between two steps. `any`: the steps come in any order, and `level` k counts ' +
        'who did k different ones; the first step is not special. Default: `sequential`.',
    ),
  where,
  users,
  exclude: z
    .array(
      object({
        ...chosenEvents.shape,
        between: z
          .tuple([stepNumber(), stepNumber()], 'two steps, as [1, 3]')
          .refine(([first, last]) => first < last, 'two steps, the earlier one first')
          .optional()
          .describe('Steps between which the event is excluded. Default: all.'),
      }),
      'a list of events',
    )
    .max(exclusionsMax, `at most ${exclusionsMax} entries`)
    .optional()
    .describe(
      'Such an event between two steps ends the attempt at the step that was reached. The user may enter again. Of sequential steps.',
    ),
  hold: name
    .optional()
    .describe(
      'A property that all events of a path have the same value of. Counts are of users and values then: the answer has ' +
        '`"unit":"user_and_value"`. Events without a value are in no path.',
    ),
  breakdown: breakdownIn(
    object({
      ...breakdownShape,
      at: z
        .union([stepNumber(), word(['first', 'last'])], 'the number of a step, or first, or last')
        .optional()
        .describe(
          'The event of the path that has the value: of this step (default: 1), or the `first` or `last` one with any. Who did ' +
            'not get there is in the row `missing`.',
        ),
    }).refine(namesOne.check, namesOne.error),
  ),
  interval: word(intervals)
    .optional()
    .describe('Adds `data`: conversion by the bucket of the first entry, so that buckets add up to the funnel.'),
  week_start: word(weekStarts).optional().describe('First day of a week. Default: `monday`.'),
  histogram: word(['decimal', 'clock'])
    .optional()
    .describe(
      'Adds to each step how long it took. `decimal`: bounds are 1, 2 and 5 times powers of ten. `clock`: they are those of ' +
        'clocks and calendars, such as 30 s, 15 min, 6 h, 7 d.',
    ),
  percentiles: flag()
    .default(false)
    .describe('`true` adds `p75_seconds`, `p90_seconds` and `p95_seconds` to each step (nearest rank, exact).'),
}).refine(({in_range, window}) => in_range !== 'entry' || window !== undefined, {
  error: 'given with in_range entry: a path ends with it',
  path: ['window'],
});
export type FunnelQuestion = z.infer<typeof funnel>;

const {report, steps, window, order, exclude} = funnel.shape;

/** What a saved funnel follows. */
export const followed = object(
  {report, steps, window, order, where, exclude},
  ': it is followed for all users, over all time',
);
export type FollowedQuestion = z.infer<typeof followed>;
