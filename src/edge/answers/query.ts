// Answers of POST /v1/query.
import {z} from 'zod';
import {kinds} from '../../asks/question/kinds.js';
import {activeAnswer} from './active-users.js';
import {entriesAnswer, eventCountsAnswer} from './counts.js';
import {lifecycleAnswer, pathsAnswer, retentionAnswer, stickinessAnswer} from './engagement.js';
import {errorAnswer} from './error.js';
import {funnelAnswers} from './funnels.js';
import {namesAnswer, propertiesAnswer, traitsAnswer, valuesAnswer} from './lists.js';
import {meta} from './report-meta.js';
import {usersAnswer} from './users.js';

export const keptQuestion = z
  .looseObject({report: z.enum(Object.keys(kinds))})
  .describe('The question in its normal form: it can be kept, compared, and sent again.');

/** What the route of the report or list answers. */
export const anyAnswer = z.union([
  eventCountsAnswer,
  entriesAnswer,
  activeAnswer,
  funnelAnswers,
  retentionAnswer,
  lifecycleAnswer,
  stickinessAnswer,
  pathsAnswer,
  namesAnswer,
  propertiesAnswer,
  traitsAnswer,
  valuesAnswer,
  usersAnswer,
]);

export const questionAnswer = z.strictObject({
  question: keptQuestion,
  answer: anyAnswer.describe('What the route of the report or list answers.'),
  previous: anyAnswer.optional().describe('The same over the range before, with `"compare":"previous"`.'),
  meta,
});

export const failedAnswer = z.strictObject({
  question: keptQuestion.optional().describe('Absent if the question could not be read.'),
  error: errorAnswer.shape.error,
});

export const queryAnswer = z.union([
  questionAnswer,
  z.strictObject({
    answers: z.array(z.union([questionAnswer, failedAnswer])).describe('In the order of the questions.'),
    log_position: z.string().nullable().describe('The one position of all answers; null if every question failed.'),
  }),
]);
