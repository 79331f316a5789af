// Annotations of charts. Everybody who may annotate may change and delete all of them.
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {parseTimestamp} from '../../../actors/log/timestamp.js';
import {isName} from '../../ingest/validate.js';
import {annotationCharsMax, annotationsMax, annotationsOf} from '../../kept/annotation.js';
import {annotationAnswer} from '../answers/annotations.js';
import {resourceOf} from './resource.js';

const atRule = 'at must be a date such as 2026-11-03, or a moment in UTC such as 2026-11-03T10:00Z';
const atPattern = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/;
const textRule = `text must be 1 to ${annotationCharsMax} characters, none of them a control character`;

const form = z.strictObject({
  at: z
    .string(atRule)
    .regex(atPattern, atRule)
    .refine((at) => Number.isFinite(parseTimestamp(at)), atRule)
    .describe('A date such as `2026-11-03`, or a moment in UTC such as `2026-11-03T10:00Z`.'),
  text: z
    .string(textRule)
    .refine((text) => isName(text) && [...text].length <= annotationCharsMax, textRule)
    .meta({minLength: 1, maxLength: annotationCharsMax})
    .describe('Names of persons do not belong here: a deletion changes no annotation.'),
});

const exampleId = 'an_0123456789abcdef';
const example = {at: '2026-05-03', text: 'New prices'};

export const annotations = resourceOf({
  noun: 'annotation',
  name: 'annotation',
  definitions: annotationsOf,
  countMax: annotationsMax,
  bodyBytesMax: 4 * 1024,
  roles: {reads: 'reader', changes: 'analyst'},
  form,
  change: form.partial(),
  answer: annotationAnswer,
  // Newest first, by what they are about.
  order: ({at, createdMs}) => [-parseTimestamp(at), -createdMs],
  made: (fields, {name}) => ({...fields, createdBy: name}),
  edited: ({at, text}) => [at, text],
  edit:
    ({at, text}) =>
    (held) => ({...held, at: at ?? held.at, text: text ?? held.text}),
  shown: ({id, at, text, createdMs, createdBy}) => ({
    ...{id, at, text},
    created_at: isoText(createdMs),
    created_by: createdBy,
  }),
  description: {
    tag: 'Kept',
    about: 'What happened on a day or at a moment. Charts show it to everybody who signs in.',
    example: {
      id: exampleId,
      body: example,
      change: {text: 'New prices for teams'},
      answer: {
        id: exampleId,
        ...example,
        created_at: '2026-05-01T09:00:00.000Z',
        created_by: 'bootstrap',
        version: '3jcP1CzhYdR2cnWR0g9WCA',
      },
    },
  },
});
