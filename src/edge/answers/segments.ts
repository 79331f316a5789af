// Segments.
import {z} from 'zod';
import {segmentUsers} from '../../asks/question/members.js';
import {instant, version} from './fields.js';

export const segmentAnswer = z.strictObject({
  id: z.string().regex(/^sg_[0-9a-f]{16}$/),
  name: z.string(),
  users: segmentUsers.describe('Who is in it.'),
  created_at: instant(),
  changed_at: instant(),
  changed_by: z.string().describe('Name of the person or key that changed it last.'),
  version,
});
export type SegmentAnswer = z.infer<typeof segmentAnswer>;
