// Saved reports.
import {z} from 'zod';
import type {ReportQuestion, View} from '../../asks/address.js';
import {instant, version} from './fields.js';
import {keptQuestion} from './query.js';

export const keptReportAnswer = {
  questions: z
    .array(keptQuestion as unknown as z.ZodType<ReportQuestion>)
    .readonly()
    .describe('In their normal form, each with its zone.'),
  view: (z.record(z.string(), z.string()) as unknown as z.ZodType<View>).optional(),
};

export const savedReportAnswer = z.strictObject({
  id: z.string().regex(/^sr_[0-9a-f]{16}$/),
  name: z.string(),
  ...keptReportAnswer,
  place: z.number().describe('Sort key of the list, ascending. It is no part of the `version`.'),
  created_at: instant(),
  changed_at: instant().describe('Of its name or question.'),
  changed_by: z.string().describe('Name of the person or key.'),
  version,
});
export type SavedReportAnswer = z.infer<typeof savedReportAnswer>;
