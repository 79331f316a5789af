// Boards.
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {name as memberName, object, word} from '../../asks/question/members.js';
import {
  type BoardTile,
  boardCharsMax,
  boardsMax,
  boardsOf,
  boardTilesMax,
  tileTextCharsMax,
  tileWidths,
} from '../../kept/board.js';
import {boardAnswer} from '../answers/boards.js';
import type {Front} from '../front.js';
import {readQuestions} from '../routes/json-fields.js';
import {lastPlace, name, place} from './fields.js';
import {keptReport, keptReportOf} from './kept-report.js';
import {resourceOf} from './resource.js';

const textRule = `a text of 1 to ${tileTextCharsMax} characters`;
const ofReport = keptReport('');

const tile = object({
  ...ofReport,
  questions: ofReport.questions.optional(),
  text: z
    .string(textRule)
    .max(tileTextCharsMax, textRule)
    .refine((text) => text.trim() !== '', textRule)
    .optional()
    .describe('In place of `questions`: plain text.'),
  name: memberName.optional().describe('Title. Default: the report in words.'),
  width: word(tileWidths).optional().describe('Of the board. Default: `half`.'),
}).refine(
  ({questions, view, text}) => (text === undefined ? questions !== undefined : (questions ?? view) === undefined),
  {path: ['questions'], error: 'a list of questions, or text in place of questions and view'},
);

const tilesRule = `tiles must be up to ${boardTilesMax} reports or texts, of up to ${boardCharsMax} characters together`;

const form = z.strictObject({
  name,
  place: place.optional(),
  tiles: z
    .array(tile, tilesRule)
    .max(boardTilesMax, tilesRule)
    .refine((tiles) => JSON.stringify(tiles).length <= boardCharsMax, tilesRule)
    .describe('Reports and texts in the order of the board.')
    .optional(),
});

const exampleId = 'bd_0123456789abcdef';
const question = {report: 'lifecycle', range: '-90d', interval: 'week', timezone: 'UTC'} as const;

/** @throws RequestFailure */
const tilesOf = (tiles: z.output<typeof form>['tiles'] | null, front: Front): readonly BoardTile[] =>
  (tiles ?? []).map(({questions, view, text, name: called, width}, at) => ({
    ...(questions === undefined ? {text: text!} : keptReportOf({questions, view}, `/tiles/${at}`, front)),
    ...(called !== undefined && {name: called}),
    ...(width !== undefined && {width}),
  }));

export const boards = resourceOf({
  noun: 'board',
  name: 'board',
  definitions: boardsOf,
  countMax: boardsMax,
  bodyBytesMax: 1024 * 1024,
  roles: {reads: 'reader', changes: 'analyst'},
  form,
  change: form.partial().extend({place: form.shape.place.nullable(), tiles: form.shape.tiles.nullable()}),
  read: readQuestions,
  answer: boardAnswer,
  order: ({place: at, createdMs}) => [at, createdMs],
  made: ({name: called, place: at, tiles}, {name: changedBy, atMs: changedMs}, front) => ({
    ...{name: called, place: at ?? lastPlace(boardsOf(front.kept.store).list()), tiles: tilesOf(tiles, front)},
    ...{changedMs, changedBy},
  }),
  edited: ({name: called, place: at, tiles}) => [called, at, tiles],
  edit: (change, {name: changedBy, atMs: changedMs}, front) => {
    const tiles = change.tiles === undefined ? undefined : tilesOf(change.tiles, front);
    return (held) => {
      const {name: called = held.name, place: at = held.place} = change;
      const placed = {name: called, place: at ?? lastPlace(boardsOf(front.kept.store).list())};
      return {...held, ...placed, tiles: tiles ?? held.tiles, changedMs, changedBy};
    };
  },
  shown: ({id, name: called, place: at, tiles, createdMs, changedMs, changedBy}) => ({
    ...{id, name: called, place: at, tiles},
    ...{created_at: isoText(createdMs), changed_at: isoText(changedMs), changed_by: changedBy},
  }),
  description: {
    tag: 'Kept',
    about: 'Reports and texts that everybody who signs in sees side by side. Overview shows the first board.',
    example: {
      id: exampleId,
      body: {name: 'Growth', place: 1, tiles: [{questions: [question]}]},
      change: {name: 'Growth of all'},
    },
  },
});
