// Saved reports.
import {z} from 'zod';
import {instant, version} from './fields.js';

export const savedReportAnswer = z.strictObject({
  id: z.string().regex(/^sr_[0-9a-f]{16}$/),
  name: z.string(),
  page: z.string().describe('Path of the page below `/dashboard`.'),
  search: z.string().describe('Query of its address, or empty.'),
  place: z.number().describe('Sort key of the list, ascending. It is no part of the `version`.'),
  created_at: instant(),
  changed_at: instant().describe('Of its name or question.'),
  changed_by: z.string().describe('Name of the person or key.'),
  version,
});
export type SavedReportAnswer = z.infer<typeof savedReportAnswer>;
