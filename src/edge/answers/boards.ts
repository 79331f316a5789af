// Boards.
import {z} from 'zod';
import {instant, version} from './fields.js';
import {keptReportAnswer} from './saved-reports.js';

export const boardAnswer = z.strictObject({
  id: z.string().regex(/^bd_[0-9a-f]{16}$/),
  name: z.string(),
  place: z.number().describe('Sort key of the list, ascending. Overview shows the first board.'),
  tiles: z.array(z.strictObject(keptReportAnswer)).readonly().describe('Reports in the order of the board.'),
  created_at: instant(),
  changed_at: instant(),
  changed_by: z.string().describe('Name of the person or key that changed it last.'),
  version,
});
export type BoardAnswer = z.infer<typeof boardAnswer>;
