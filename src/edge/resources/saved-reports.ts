// Saved reports. Everybody who may save sees and changes all of them.
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {savedReportsMax, savedReportsOf} from '../../kept/saved-report.js';
import {savedReportAnswer} from '../answers/saved-reports.js';
import {readQuestions} from '../routes/json-fields.js';
import {lastPlace, name, place} from './fields.js';
import {keptReportOf, ownReport} from './kept-report.js';
import {resourceOf} from './resource.js';

const form = z.strictObject({
  name,
  ...ownReport,
  place: place.optional(),
});

const exampleId = 'sr_0123456789abcdef';
const question = {report: 'counts', events: [{event: 'signup'}], range: '-30d', timezone: 'Europe/Berlin'} as const;

export const savedReports = resourceOf({
  noun: 'saved report',
  name: 'saved-report',
  definitions: savedReportsOf,
  countMax: savedReportsMax,
  /** The longest questions, mostly escaped. */
  bodyBytesMax: 512 * 1024,
  roles: {reads: 'reader', changes: 'analyst'},
  form,
  change: form.partial().extend({place: form.shape.place.nullable(), view: form.shape.view.nullable()}),
  read: readQuestions,
  answer: savedReportAnswer,
  order: ({place: at, createdMs}) => [at, createdMs],
  made: ({name: called, place: at, ...report}, {name: changedBy, atMs: changedMs}, front) => ({
    ...{name: called, ...keptReportOf(report, '', front)},
    place: at ?? lastPlace(savedReportsOf(front.kept.store).list()),
    ...{changedMs, changedBy},
  }),
  edited: ({name: called, questions, view}) => [called, questions, view],
  edit: ({place: to, ...content}, {name: changedBy, atMs: changedMs}, front) => {
    const {questions} = content;
    const asked = questions && keptReportOf({questions}, '', front).questions;
    return (held) => {
      const {name: called = held.name, view = held.view} = content;
      const {view: _, ...rest} = held;
      const isMove = Object.keys(content).length === 0; // SV1
      const touched = isMove ? {} : {changedMs, changedBy};
      const at = to === undefined ? held.place : (to ?? lastPlace(savedReportsOf(front.kept.store).list()));
      const report = {questions: asked ?? held.questions, ...(view && {view})};
      return {...rest, name: called, ...report, place: at, ...touched};
    };
  },
  shown: ({id, name: called, questions, view, place: at, createdMs, changedMs, changedBy}) => ({
    ...{id, name: called, questions, ...(view && {view}), place: at},
    ...{created_at: isoText(createdMs), changed_at: isoText(changedMs), changed_by: changedBy},
  }),
  description: {
    tag: 'Kept',
    about: 'Questions for reports, with a name. The dashboard shows them on the page of the first one.',
    example: {
      id: exampleId,
      body: {name: 'Growth', questions: [question], place: 1},
      change: {name: 'Growth / Weekly'},
    },
  },
});
