// A report as saved reports and boards keep it: questions for reports, and how the page shows them.
import {z} from 'zod';
import {type KeptReport, looks, type ReportQuestion} from '../../asks/address.js';
import {reportQuestion} from '../../asks/question/behind.js';
import {intervals, object, word} from '../../asks/question/members.js';
import {zoneNameIn} from '../../asks/question/times.js';
import {questionsCharsMax, questionsMax} from '../../kept/saved-report.js';
import type {Front} from '../front.js';
import {withoutEmpty} from '../query/read-question.js';
import {askedOf} from '../routes/query.js';

const questionsRule = `a list of 1 to ${questionsMax} questions for reports`;

/** Members of the form of a report. `subject`: begins the sentence of a refusal of its questions, where its reader does not. */
export const keptReport = (subject: string) => ({
  questions: z
    .array(reportQuestion, subject + questionsRule)
    .min(1, subject + questionsRule)
    .max(questionsMax, subject + questionsRule)
    .describe('As `POST /v1/query` takes them. The first is the report; the others stand beside it.'),
  view: object({
    look: word(looks).optional().describe('Of counts, which are lines without it.'),
    show: word(['users']).optional().describe('Of cohorts: numbers of users, not shares.'),
    often: word(['at_least']).optional().describe('Of stickiness.'),
    every: word(intervals).optional().describe('Of a funnel over time.'),
  })
    .optional()
    .describe('How the page shows it.'),
});

const charsRule = `questions must have up to ${questionsCharsMax} characters together`;
const ofReport = keptReport('questions must be ');

/** The same, of what keeps one report. */
export const ownReport = {
  ...ofReport,
  questions: ofReport.questions.refine((all) => JSON.stringify(all).length <= questionsCharsMax, charsRule),
};

type Fields = z.output<z.ZodObject<ReturnType<typeof keptReport>>>;

/** In their normal form, each with its zone (saved-report.ts SV3). `at`: pointer of the report. @throws RequestFailure */
export function keptReportOf({questions, view}: Fields, at: string, front: Front): KeptReport {
  const zone = zoneNameIn(front);
  const normal = questions.map((one, place) => {
    const question = {...(withoutEmpty(one) as ReportQuestion), timezone: one.timezone ?? zone};
    askedOf(question, `${at}/questions/${place}`, front);
    return question;
  });
  const shown = withoutEmpty(view) as KeptReport['view'];
  return {questions: normal, ...(shown !== undefined && Object.keys(shown).length > 0 && {view: shown})};
}
