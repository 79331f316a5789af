// The answers of a report that is shared, asked by the service itself.
//   SR1. The questions come of the report's address, by the code with which its page makes them: no client sends or stores a list of
//        them, so that there is none to distrust, and a link can follow a saved report.
//   SR2. What is hidden from lists is in no shared report: neither asked for nor named by an answer.
//   SR3. Answers are of the snapshots that the first one is of, as long as these are held: a page mixes no two.
//   SR4. Of what an answer says about itself only freshness is passed on: a hint can name an event that the report does not.
import {askedQuestions} from '../../../dashboard/src/address/asked-questions.js';
import {eventsAskedFor, propertiesAskedFor} from '../../asked-names.js';
import type {Asker} from '../../asks/asker.js';
import {type FixedQuestion, flatOf} from '../../asks/question/flat.js';
import type {ReportAnswer, ReportQuery} from '../../asks/report.js';
import type {SavedReport} from '../../kept/saved-report.js';
import type {PathsAnswer} from '../answers/engagement.js';
import {errorValue, type Failure, invalidRequest, RequestFailure, statusOf} from '../failure.js';
import type {Front} from '../front.js';
import {pointing, readQuestion} from '../query/read-question.js';
import {reportIn} from '../routes/min-log-position.js';
import {queryOf} from '../routes/query.js';
import type {SharedAnswer} from './answers/shares.js';
import {type NamingPeople, namingPeople} from './names-people.js';

/** A report, by what its page needs to show it. */
export type SharedReport = Pick<SavedReport, 'name' | 'page' | 'search'>;

const refused = (message: string): RequestFailure => new RequestFailure(invalidRequest(message, 'report'));
const unnamed = 'the report names no event yet: choose one on its page, and save it again';
const hiddenAsked =
  'the report asks for something that is hidden from lists: hidden names and properties are not shared';
const hiddenShown = 'these paths pass an event that is hidden from lists: hidden names are not shared';

export interface AnsweredReport {
  readonly answers: readonly SharedAnswer[];
  readonly naming: NamingPeople;
}

type Report = Extract<ReportAnswer, {kind: 'report'}>;

interface Asked {
  readonly path: string;
  readonly question: ReportQuery | Failure;
}

/** @throws RequestFailure for a report that is not shared. */
export async function answersOf(
  front: Front,
  {page, search}: SharedReport,
  nowMs: number,
  asker: Asker,
): Promise<AnsweredReport> {
  const {asks, until, problems} = askedQuestions[page](search, nowMs);
  const [problem] = problems;
  if (problem !== undefined)
    throw refused(`the report has a part that its page does not understand: ${problem.name}=${problem.text}`);
  if (asks.length === 0) throw refused(unnamed);
  const asked = asks.map((one) => askedOf(front, one));
  for (const {question} of asked) if (isQuestion(question)) checkHidden(front, question);
  const first = await answersTo(front, asker, asked);
  const asOf = first.flatMap(({answer}) => ('meta' in answer ? [Date.parse(answer.meta.as_of)] : []));
  const later = asOf.length === 0 ? [] : until(Math.min(...asOf)).map((one) => askedOf(front, one));
  const rest = await answersTo(front, asker, later, first.find(({position}) => position !== undefined)?.position);
  const answers = [...first, ...rest].map(({answer}) => answer);
  if (answers.some((one) => namesHidden(front, one))) throw refused(hiddenShown);
  const namings = [...asked, ...later].flatMap(({question}, at) =>
    isQuestion(question) ? namingPeople(question, valueIn(answers[at]!)) : [],
  );
  return {answers, naming: joined(namings)};
}

const valueIn = (answer: SharedAnswer): unknown => ('value' in answer ? answer.value : undefined);

const joined = (namings: readonly NamingPeople[]): NamingPeople => ({
  people: [...new Set(namings.flatMap(({people}) => people))],
  brokenDownBy: [...new Set(namings.flatMap(({brokenDownBy}) => brokenDownBy))],
  few: [...new Set(namings.flatMap(({few}) => few))],
});

const isQuestion = (asked: Asked['question']): asked is ReportQuery => 'report' in asked;

function askedOf(front: Front, asked: FixedQuestion): Asked {
  const path = flatOf(asked);
  try {
    return {path, question: pointing('', () => queryOf(readQuestion(asked, ''), front))};
  } catch (error) {
    if (error instanceof RequestFailure) return {path, question: error.failure};
    throw error;
  }
}

// -- Answers ------------------------------------------------------------------------------------------------------------

/** Answers in the order of `asked`. `at`: position of earlier answers; undefined: the newest. SR3 */
async function answersTo(front: Front, asker: Asker, asked: readonly Asked[], at?: string): Promise<Placed[]> {
  const [head, ...others] = asked;
  if (head === undefined) return [];
  const first = await answerTo(front, asker, head, at);
  const rest = await Promise.all(others.map((one) => answerTo(front, asker, one, first.position ?? at)));
  return [first, ...rest];
}

interface Placed {
  readonly answer: SharedAnswer;
  readonly position?: string;
}

async function answerTo(front: Front, asker: Asker, {path, question}: Asked, at?: string): Promise<Placed> {
  if (!isQuestion(question)) return {answer: failed(path, question)};
  try {
    const {headers, body} = await report(front, asker, question, at);
    return {
      answer: {path, meta: freshnessIn(headers), value: JSON.parse(body!) as unknown},
      position: headers['Report-Log-Position'],
    };
  } catch (error) {
    if (error instanceof RequestFailure) return {answer: failed(path, error.failure)};
    throw error;
  }
}

async function report(front: Front, asker: Asker, query: ReportQuery, at: string | undefined): Promise<Report> {
  const asked = {ask: 'report', query} as const;
  if (at === undefined) return reportIn(await front.reads.asks.report(asked, asker));
  try {
    return reportIn(await front.reads.asks.report({...asked, at}, asker));
  } catch (error) {
    // A user was deleted meanwhile: the newest snapshots are all that there is.
    if (error instanceof RequestFailure && error.failure.code === 'snapshot_gone')
      return report(front, asker, query, undefined);
    throw error;
  }
}

const failed = (path: string, failure: Failure): SharedAnswer => ({
  path,
  error: errorValue(failure),
  status: Number(statusOf[failure.code].slice(0, 3)),
});

/** SR4 */
const freshnessIn = (headers: Report['headers']) => ({
  as_of: headers['Report-As-Of'],
  next_by: headers['Report-Next-By'],
  incomplete_from: headers['Report-Incomplete-From'] ?? null,
});

// -- What is hidden --------------------------------------------------------------------------------------------------------

/** SR2 */
function checkHidden(
  {
    kept: {
      keys: {hidden},
    },
  }: Front,
  question: ReportQuery,
): void {
  const names = eventsAskedFor(question).some((name) => hidden.names.includes(name));
  // `cart.total` is inside of `cart`.
  const isHidden = (property: string): boolean =>
    hidden.properties.some((one) => property === one || property.startsWith(`${one}.`));
  if (names || propertiesAskedFor(question).some(isHidden)) throw refused(hiddenAsked);
}

/** SR2. Paths name events that nobody asked for. */
function namesHidden(
  {
    kept: {
      keys: {hidden},
    },
  }: Front,
  answer: SharedAnswer,
): boolean {
  if (!('value' in answer) || !answer.path.startsWith('v1/reports/paths?')) return false;
  const {steps} = answer.value as PathsAnswer;
  return steps.flat().some((place) => 'event' in place && hidden.names.includes(place.event!));
}
