// Boards.
import {z} from 'zod';
import {type BoardTile, tileWidths} from '../../kept/board.js';
import {instant, version} from './fields.js';
import {keptReportAnswer} from './saved-reports.js';

const tile = z.strictObject({
  ...keptReportAnswer,
  questions: keptReportAnswer.questions.optional(),
  text: z.string().optional(),
  name: z.string().optional(),
  width: z.enum(tileWidths).optional(),
});

export const boardAnswer = z.strictObject({
  id: z.string().regex(/^bd_[0-9a-f]{16}$/),
  name: z.string(),
  place: z.number(),
  tiles: z.array(tile as unknown as z.ZodType<BoardTile>).readonly(),
  created_at: instant(),
  changed_at: instant(),
  changed_by: z.string(),
  version,
});
export type BoardAnswer = z.infer<typeof boardAnswer>;
