// Boards.
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {boardCharsMax, boardPinsMax, boardsMax, boardsOf} from '../../kept/board.js';
import {savedPages} from '../../kept/saved-report.js';
import {boardAnswer} from '../answers/boards.js';
import {lastPlace, name, place} from './fields.js';
import {resourceOf} from './resource.js';

const pinRule = `pins must be addresses of ${savedPages.join(', ')}, such as /trends?event=signup, without spaces and fragments`;
const pinsRule = `pins must be up to ${boardPinsMax} different addresses of up to ${boardCharsMax} characters together`;
const pinPattern = new RegExp(`^(?:${savedPages.join('|')})(?:\\?[!"$-~]+)?$`); // Printable ASCII without `#`.

const form = z.strictObject({
  name,
  place: place.optional(),
  pins: z
    .array(z.string(pinRule).regex(pinPattern, pinRule), pinsRule)
    .max(boardPinsMax, pinsRule)
    .refine((pins) => new Set(pins).size === pins.length && pins.join('').length <= boardCharsMax, pinsRule)
    .describe('Addresses of reports below `/dashboard`, in the order of the board.')
    .optional(),
});

const exampleId = 'bd_0123456789abcdef';
const example = {name: 'Growth', place: 1, pins: ['/trends?event=signup&range=30d']};

export const boards = resourceOf({
  noun: 'board',
  name: 'board',
  definitions: boardsOf,
  countMax: boardsMax,
  bodyBytesMax: 64 * 1024,
  roles: {reads: 'reader', changes: 'analyst'},
  form,
  change: form.partial().extend({place: form.shape.place.nullable(), pins: form.shape.pins.nullable()}),
  answer: boardAnswer,
  order: ({place: at, createdMs}) => [at, createdMs],
  made: ({name: called, place: at, pins = []}, {name: changedBy, atMs: changedMs}, {kept: {store}}) => ({
    ...{name: called, place: at ?? lastPlace(boardsOf(store).list()), pins},
    ...{changedMs, changedBy},
  }),
  edited: ({name: called, place: at, pins}) => [called, at, pins],
  edit:
    (change, {name: changedBy, atMs: changedMs}, {kept: {store}}) =>
    (held) => {
      const {name: called = held.name, place: at = held.place, pins = held.pins} = change;
      const content = {name: called, place: at ?? lastPlace(boardsOf(store).list()), pins: pins ?? []};
      return {...held, ...content, changedMs, changedBy};
    },
  shown: ({id, name: called, place: at, pins, createdMs, changedMs, changedBy}) => ({
    ...{id, name: called, place: at, pins: [...pins]},
    ...{created_at: isoText(createdMs), changed_at: isoText(changedMs), changed_by: changedBy},
  }),
  description: {
    tag: 'Kept',
    about: 'Reports that everybody who signs in sees side by side. Overview shows the first board.',
    example: {
      id: exampleId,
      body: example,
      change: {name: 'Growth of all'},
      answer: {
        id: exampleId,
        ...example,
        created_at: '2026-05-01T09:00:00.000Z',
        changed_at: '2026-05-01T09:00:00.000Z',
        changed_by: 'bootstrap',
        version: 'bCzhYdR2cnWR0g9WCA3jcP',
      },
    },
  },
});
