// Links that share a report.
import {z} from 'zod';
import {neverEnds} from '../../kept/share.js';
import {count, instant, version} from './fields.js';
import {keptReportAnswer} from './saved-reports.js';

const shareFields = {
  id: z.string().regex(/^sh_[0-9a-f]{16}$/),
  name: z.string(),
  report: z.string().optional().describe('What it follows; or `board`, or `questions`.'),
  board: z.string().optional(),
  questions: keptReportAnswer.questions.optional(),
  view: keptReportAnswer.view,
  origins: z.array(z.string()).readonly(),
  may_name_people: z.boolean(),
  ends_at: z.string().describe(`A moment in UTC, or \`${neverEnds}\`.`),
  is_shown: z.boolean().describe('`false`: what it follows was deleted.'),
  created_at: instant(),
  created_by: z.string(),
  reads: count().describe('Those of the last minute at other edges are missing.'),
  last_read_at: instant().nullable(),
  version,
};

export const shareAnswer = z.strictObject(shareFields);
export type ShareAnswer = z.infer<typeof shareAnswer>;

export const createdShareAnswer = z.strictObject({
  ...shareFields,
  token: z.string().describe('The link is `/dashboard/share/<token>` of the dashboard. Shown this once.'),
});
export type CreatedShareAnswer = z.infer<typeof createdShareAnswer>;
