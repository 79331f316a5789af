// The people behind a number: a question for a report, and where in its answer the number is.
//   BE1. A point has the words of the answer: the date of a row, the value or kind of a breakdown's row, the step of a funnel.
import {z} from 'zod';
import {breakdownsMax, funnelStepsMax, reportBucketsMax, retentionPeriodsMax} from '../../../actors/limits.js';
import {stages} from '../../../actors/report/engagement/lifecycle.js';
import {kindsShown} from '../../../actors/report/rows/value-groups.js';
import {didYouMean, nearestOf} from '../../nearest.js';
import {active, counts} from './counts.js';
import {lifecycle, paths, retention, stickiness} from './engagement.js';
import {funnel} from './funnel.js';
import {anyText, flag, name, object, wholeNumber, word} from './members.js';

export const reports = {counts, active, funnel, retention, lifecycle, stickiness, paths} as const;
export type ReportKind = keyof typeof reports;

const kinds = Object.values(reports) as readonly (typeof reports)[ReportKind][] as readonly [
  (typeof reports)[ReportKind],
];
const names = Object.keys(reports);

/** A question for a report. */
export const reportQuestion = z.discriminatedUnion('report', kinds, {
  error: ({input}) => {
    if (typeof input !== 'object' || input === null) return 'an object: a question for a report';
    const {report} = input as {readonly report?: unknown};
    const meant = typeof report === 'string' ? nearestOf(report, names) : undefined;
    return `one of ${names.join(', ')}${didYouMean(meant)}`;
  },
});

const nodeRule = 'an object with either event or kind';
const node = object({
  event: name.optional().describe('The event.'),
  kind: word(['end', 'other']).optional().describe('In place of an event: the end of a path, or `other` events.'),
}).refine(({event, kind}) => (event === undefined) !== (kind === undefined), nodeRule);

const rowName = object({
  value: z.string('a text').optional(),
  kind: word(kindsShown).optional(),
}).refine(({value, kind}) => (value === undefined) !== (kind === undefined), 'an object with either value or kind');

const point = object({
  event: name.optional().describe('Of several series of counts, or at the `step` of paths.'),
  as: anyText().optional().describe('The label of the series.'),
  previous: flag().optional().describe('`true`: the number is in `previous`.'),
  date: anyText().optional().describe('The bucket. Absent: the whole range.'),
  value: z.string('a text').optional().describe('The row of the breakdown. Absent, and no `kind`: all users.'),
  kind: word([...kindsShown, 'end'])
    .optional()
    .describe('In place of a `value`, and of an `event` of paths.'),
  by: z
    .array(rowName, 'a list')
    .max(breakdownsMax, `at most ${breakdownsMax} entries`)
    .optional()
    .describe('The row of several breakdowns.'),
  step: wholeNumber(1, funnelStepsMax).optional().describe('Of a funnel (default: 1), or of paths.'),
  outcome: word(['reached', 'dropped', 'undecided', 'returned', 'member'])
    .optional()
    .describe(
      'Of a funnel: `reached` (default), `dropped`, `undecided`. Of retention: `returned` (default), `member`.',
    ),
  seconds_from: z
    .number('a number')
    .min(0, 'a number of at least 0')
    .optional()
    .describe("The bin of the step's histogram."),
  cohort: anyText().optional().describe('Absent: `overall`.'),
  period: wholeNumber(0, retentionPeriodsMax - 1)
    .optional()
    .describe('Absent: the `size` of the cohort.'),
  state: word(stages).optional().describe('Of lifecycle. Absent: all users of the bucket.'),
  buckets: wholeNumber(1, reportBucketsMax).optional().describe('Of stickiness. Absent: `total`.'),
  from: node.optional().describe('With `to`: an edge of paths.'),
  to: node.optional().describe('Where the edge leads.'),
});
export type PointMember = z.infer<typeof point>;

export const behind = object({
  question: reportQuestion.describe('The question whose answer has the number.'),
  point: point.optional().describe('Where the number is, in the words of the answer. Absent: its total.'),
});
export type BehindMember = z.infer<typeof behind>;
