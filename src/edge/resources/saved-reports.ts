// Saved reports. Everybody who may save sees and changes all of them.
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {savedPages, savedReportsMax, savedReportsOf, savedSearchCharsMax} from '../../kept/saved-report.js';
import {savedReportAnswer} from '../answers/saved-reports.js';
import {lastPlace, name, place} from './fields.js';
import {resourceOf} from './resource.js';

const pageRule = `page must be one of ${savedPages.join(', ')}`;
const searchRule = `search must be empty, or begin with ? and have up to ${savedSearchCharsMax} characters`;

const form = z.strictObject({
  name,
  page: z.enum(savedPages, pageRule).describe('Path of a page below `/dashboard`.'),
  search: z
    .string(searchRule)
    .max(savedSearchCharsMax, searchRule)
    .regex(/^(\?[^#]*)?$/, searchRule)
    .describe('Query of its address: `?event=signup&range=30d`, or empty.'),
  place: place.optional(),
});

const exampleId = 'sr_0123456789abcdef';
const example = {name: 'Growth', page: '/trends' as const, search: '?event=signup&range=30d', place: 1};

export const savedReports = resourceOf({
  noun: 'saved report',
  name: 'saved-report',
  definitions: savedReportsOf,
  countMax: savedReportsMax,
  /** The longest question, escaped throughout. */
  bodyBytesMax: 128 * 1024,
  roles: {reads: 'reader', changes: 'analyst'},
  form,
  change: form.partial().extend({place: form.shape.place.nullable()}),
  answer: savedReportAnswer,
  order: ({place: at, createdMs}) => [at, createdMs],
  made: ({name: called, page, search, place: at}, {name: changedBy, atMs: changedMs}, {kept: {store}}) => ({
    ...{name: called, page, search, place: at ?? lastPlace(savedReportsOf(store).list())},
    ...{changedMs, changedBy},
  }),
  edited: ({name: called, page, search}) => [called, page, search],
  edit:
    ({place: to, ...content}, {name: changedBy, atMs: changedMs}, {kept: {store}}) =>
    (held) => {
      const {name: called = held.name, page = held.page, search = held.search} = content;
      const isMove = Object.keys(content).length === 0; // SV1
      const touched = isMove ? {} : {changedMs, changedBy};
      const at = to === undefined ? held.place : (to ?? lastPlace(savedReportsOf(store).list()));
      return {...held, name: called, page, search, place: at, ...touched};
    },
  shown: ({id, name: called, page, search, place: at, createdMs, changedMs, changedBy}) => ({
    ...{id, name: called, page, search, place: at},
    ...{created_at: isoText(createdMs), changed_at: isoText(changedMs), changed_by: changedBy},
  }),
  description: {
    tag: 'Kept',
    about: 'A question of a page, by the address of that page.',
    example: {
      id: exampleId,
      body: example,
      change: {name: 'Growth / Weekly'},
      answer: {
        id: exampleId,
        ...example,
        created_at: '2026-05-01T09:00:00.000Z',
        changed_at: '2026-05-01T09:00:00.000Z',
        changed_by: 'bootstrap',
        version: 'HQ5cEwbKjkJ9nmeDbM5bQw',
      },
    },
  },
});
