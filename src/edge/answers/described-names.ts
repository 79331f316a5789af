// Descriptions of names of events.
import {z} from 'zod';
import {nameStates} from '../../kept/described-name.js';
import {instant, version} from './fields.js';

export const describedNameAnswer = z.strictObject({
  id: z.string().regex(/^nm_[0-9a-f]{16}$/),
  event: z.string(),
  description: z.string(),
  owner: z.string(),
  state: z.enum(nameStates),
  created_at: instant(),
  changed_at: instant(),
  changed_by: z.string(),
  version,
});
export type DescribedNameAnswer = z.infer<typeof describedNameAnswer>;
