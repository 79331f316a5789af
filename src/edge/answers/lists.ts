// Lists of names, properties, traits and their values.
import {z} from 'zod';
import {jsonTypes} from '../../../actors/report/rows/key-types.js';
import {errorAnswer} from './error.js';
import {count, instant, pageEnd, rate} from './fields.js';
import {ownMeta} from './report-meta.js';

const listedName = z.strictObject({
  name: z.string(),
  count: z.int().min(1).describe('Events of this name in [from, to].'),
  users: z
    .int()
    .min(1)
    .optional()
    .describe('Only with `include=users`: distinct users with such an event in [from, to].'),
  first_seen: instant().describe('Time of its earliest event, inside or outside [from, to].'),
  last_seen: instant().describe('Time of its latest event, inside or outside [from, to].'),
  hidden: z.literal(true).optional().describe('Only with `hidden=true`: lists leave it out otherwise.'),
});
export type ListedName = z.infer<typeof listedName>;

export const namesAnswer = z.strictObject({
  data: z.array(listedName).describe('Most frequent first, equally frequent ones by name.'),
  ...pageEnd,
  ...ownMeta,
});
export type NamesAnswer = z.infer<typeof namesAnswer>;

const keyFields = {
  share: rate().describe('Share of the events, or users, that have it.'),
  types: z
    .strictObject(Object.fromEntries(jsonTypes.map((type) => [type, z.int().min(1)])))
    .partial()
    .describe('Number of values of each JSON type.'),
};

export const propertiesAnswer = z.strictObject({
  data: z
    .array(
      z.strictObject({
        property: z.string(),
        ...keyFields,
        hidden: z.literal(true).optional().describe('Only with `hidden=true`: lists leave it out otherwise.'),
      }),
    )
    .describe('Most frequent first, equally frequent ones by name.'),
  ...pageEnd,
  ...ownMeta,
});
export type PropertiesAnswer = z.infer<typeof propertiesAnswer>;

export const traitsAnswer = z.strictObject({
  data: z
    .array(z.strictObject({trait: z.string(), ...keyFields}))
    .describe('Most frequent first, equally frequent ones by name.'),
  ...pageEnd,
  ...ownMeta,
});
export type TraitsAnswer = z.infer<typeof traitsAnswer>;

export const hiddenNamesAnswer = z.strictObject({names: z.array(z.string()).readonly()});
export const hiddenNamesChangedAnswer = hiddenNamesAnswer.extend({error: errorAnswer.shape.error});

export const hiddenPropertiesAnswer = z.strictObject({properties: z.array(z.string()).readonly()});
export const hiddenPropertiesChangedAnswer = hiddenPropertiesAnswer.extend({error: errorAnswer.shape.error});

export const valuesAnswer = z.strictObject({
  data: z
    .array(
      z.strictObject({
        value: z.string().optional().describe('The text of the value. Absent in items with a `kind`.'),
        kind: z.enum(['missing', 'null', 'not_scalar']).optional().describe('What the item has instead of a value.'),
        count: z.int().min(1).describe('Events, or users, that have it.'),
      }),
    )
    .describe('Most frequent first, equally frequent ones by their text.'),
  distinct: count().describe('Number of values on all pages, without kinds.'),
  ...pageEnd,
  ...ownMeta,
});
export type ValuesAnswer = z.infer<typeof valuesAnswer>;
