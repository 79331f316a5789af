// Keys.
import {z} from 'zod';
import {keyKinds} from '../../keys/key.js';
import {errorAnswer} from './error.js';
import {instant, version} from './fields.js';

const keyKind = z.enum(keyKinds);

const shownOptions = z
  .strictObject({
    identify: z.literal(false),
    origins: z.array(z.string()).readonly(),
    events_per_second_per_address: z.int().min(1),
    names: z.literal('known'),
    web: z.boolean(),
  })
  .partial()
  .describe('Options of the key, as `POST /admin/v1/key` takes them; absent if it has none.');

export const listedKey = z.strictObject({
  id: z.string(),
  name: z.string(),
  kind: keyKind,
  last4: z.string().length(4).describe('The last four characters of the key.'),
  created_at: instant(),
  last_used_at: instant().nullable().describe('Updated once a minute.'),
  revoked_at: instant().nullable(),
  version,
  options: shownOptions.optional(),
});
export type ListedKey = z.infer<typeof listedKey>;

export const keyChangedAnswer = z.strictObject({
  error: errorAnswer.shape.error,
  key: listedKey.describe('As it is now.'),
});
export type KeyChangedAnswer = z.infer<typeof keyChangedAnswer>;

export const keysAnswer = z.strictObject({keys: z.array(listedKey).describe('Oldest first, revoked ones included.')});

export const createdKeyAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  kind: keyKind,
  key: z
    .string()
    .regex(/^sk_(write|read|live)_[0-9A-Za-z]{43}$/)
    .describe('The key itself: shown now and never again.'),
  created_at: instant(),
  version,
  options: shownOptions.optional(),
});
export type CreatedKey = z.infer<typeof createdKeyAnswer>;

export const revokedKeyAnswer = z.strictObject({status: z.literal('revoked'), id: z.string()});
