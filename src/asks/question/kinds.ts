// All kinds of questions by their name.
import {z} from 'zod';
import {active, counts} from './counts.js';
import {lifecycle, paths, retention, stickiness} from './engagement.js';
import {funnel} from './funnel.js';
import {names, people, properties, traits, traitValues, values} from './lists.js';

export const kinds = {
  counts,
  active,
  funnel,
  retention,
  lifecycle,
  stickiness,
  paths,
  names,
  properties,
  values,
  traits,
  trait_values: traitValues,
  people,
} as const;

export type Kind = keyof typeof kinds;
export type Question = z.infer<(typeof kinds)[Kind]>;
export type QuestionOf<K extends Kind> = z.infer<(typeof kinds)[K]>;

const all = Object.values(kinds) as readonly (typeof kinds)[Kind][] as readonly [(typeof kinds)[Kind]];
export const question = z.discriminatedUnion('report', all);
