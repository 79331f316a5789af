// Annotations of charts.
import {z} from 'zod';
import {instant, version} from './fields.js';

export const annotationAnswer = z.strictObject({
  id: z.string().regex(/^an_[0-9a-f]{16}$/),
  at: z.string().describe('A date, or a moment in UTC.'),
  text: z.string(),
  created_at: instant(),
  created_by: z.string().describe('Name of the person or key that made it.'),
  version,
});
export type AnnotationAnswer = z.infer<typeof annotationAnswer>;
