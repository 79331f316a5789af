// The answers of a report or a board that is shared, asked by the service itself.
//   SR1. The questions are those that the link or its report keeps: whoever reads it sends none, so that there is none to distrust.
//   SR2. What is hidden from lists is in no shared report: neither asked for nor named by an answer.
//   SR3. Answers are of the snapshots that the first one is of, as long as these are held: a page mixes no two.
//   SR4. Of what an answer says about itself only freshness is passed on: a hint can name an event that the report does not.
import {eventsAskedFor, propertiesAskedFor} from '../../asked-names.js';
import type {KeptReport, ReportQuestion} from '../../asks/address.js';
import type {Asker} from '../../asks/asker.js';
import type {ReportAnswer, ReportQuery} from '../../asks/report.js';
import {type BoardTile, isReportTile} from '../../kept/board.js';
import {isOfPerson} from '../../kept/person-forms.js';
import type {PathsAnswer} from '../answers/engagement.js';
import type {SharedAnswer, SharedBoardAnswer} from '../dashboard/answers/shared-report.js';
import {errorValue, type Failure, invalidRequest, RequestFailure, statusOf} from '../failure.js';
import type {Front} from '../front.js';
import {soFarOf} from '../query/question-parts.js';
import {reportIn} from './min-log-position.js';
import {type NamingPeople, namingPeople} from './names-people.js';
import {type Asked, askedOf, isFailure, orFailure} from './query.js';

const refused = (message: string): RequestFailure => new RequestFailure(invalidRequest(message));
const hiddenAsked =
  'the report asks for something that is hidden from lists: hidden names and properties are not shared';
const hiddenShown = 'these paths pass an event that is hidden from lists: hidden names are not shared';

export interface AnsweredReport {
  readonly answers: readonly SharedAnswer[];
  readonly naming: NamingPeople;
  /** Position of the answers; undefined: none was answered. */
  readonly at: string | undefined;
}

export interface AnsweredBoard extends Pick<AnsweredReport, 'naming'> {
  readonly tiles: SharedBoardAnswer['tiles'];
}

type Report = Extract<ReportAnswer, {kind: 'report'}>;
/** One for each query of a question. */
type Reports = readonly (Report | Failure)[];

/** One tile after the other: a board has many questions. SR3. @throws RequestFailure for a report that is not shared. */
export async function boardAnswersOf(front: Front, tiles: readonly BoardTile[], asker: Asker): Promise<AnsweredBoard> {
  const answered: SharedBoardAnswer['tiles'][number][] = [];
  const namings: NamingPeople[] = [];
  let position: string | undefined;
  for (const tile of tiles) {
    if (wordsOf(tile).some((word) => isOfPerson(word))) namings.push({people: [ofWords], brokenDownBy: [], few: []});
    if (!isReportTile(tile)) {
      answered.push(tile);
      continue;
    }
    const {answers, naming, at} = await answersOf(front, tile, asker, position);
    const {questions: _, ...shown} = tile;
    answered.push({...shown, answers});
    namings.push(naming);
    position = at;
  }
  return {tiles: answered, naming: joined(namings)};
}

/** Words of a person's own on a board: texts, and titles of tiles. */
const ofWords = 'a text or a title has what only persons have, such as an e-mail address';
const wordsOf = (tile: BoardTile): string[] =>
  [tile.name ?? '', isReportTile(tile) ? '' : tile.text]
    .join(' ')
    .split(/[\s,;()<>]+/)
    .filter((word) => word !== '');

/** `at`: position of the snapshots; undefined: the newest. @throws RequestFailure for a report that is not shared. */
export async function answersOf(
  front: Front,
  {questions}: KeptReport,
  asker: Asker,
  at?: string,
): Promise<AnsweredReport> {
  const asked = questions.map((one) => orFailure(() => askedOf(one, '', front)));
  const queries = asked.map((one) => (isFailure(one) ? [] : one.queries));
  for (const query of queries.flat()) checkHidden(front, query);
  const first = await reportsTo(front, asker, queries, at);
  const soFar = await soFarIn(front, asker, questions[0]!, first.flat());
  const all = [...queries.flat(), ...(soFar?.queries ?? [])];
  const reports = [...first.flat(), ...(soFar?.reports ?? [])];
  if (reports.some((one, at) => namesHidden(front, all[at]!, one))) throw refused(hiddenShown);
  const naming = reports.map((one, at) => namingPeople(all[at]!, isFailure(one) ? undefined : JSON.parse(one.body!)));
  const ofFirst = soFar && textOf(soFar);
  return {
    answers: asked.map((one, at) => answerOf(questions[at]!, one, first[at]!, at === 0 ? ofFirst : undefined)),
    naming: joined(naming),
    at: first.flat().find((one): one is Report => !isFailure(one))?.headers['Report-Log-Position'] ?? at,
  };
}

const joined = (namings: readonly NamingPeople[]): NamingPeople => ({
  people: [...new Set(namings.flatMap(({people}) => people))],
  brokenDownBy: [...new Set(namings.flatMap(({brokenDownBy}) => brokenDownBy))],
  few: [...new Set(namings.flatMap(({few}) => few))],
});

function answerOf(
  question: ReportQuestion,
  asked: Asked | Failure,
  reports: Reports,
  soFar: string | undefined,
): SharedAnswer {
  const failure = isFailure(asked) ? asked : reports.find(isFailure);
  if (isFailure(asked) || failure !== undefined) {
    const status = Number(statusOf[failure!.code].slice(0, 3));
    return {question, error: errorValue(failure!), status};
  }
  const bodies = (reports as readonly Report[]).map(({body}) => body!);
  const previous = asked.parts.previousOf(bodies);
  return {
    question,
    answer: JSON.parse(asked.parts.answerOf(bodies)),
    ...(previous !== undefined && {previous: JSON.parse(previous)}),
    ...(soFar !== undefined && {so_far: JSON.parse(soFar)}),
    meta: freshnessIn((reports[0] as Report).headers),
  };
}

// -- reports --

/** In the order of the queries. SR3 */
async function reportsTo(
  front: Front,
  asker: Asker,
  queries: readonly (readonly ReportQuery[])[],
  first: string | undefined,
): Promise<readonly Reports[]> {
  let at = first;
  const ask = async (query: ReportQuery): Promise<Report | Failure> => {
    const answer = await reportTo(front, asker, query, at);
    at ??= isFailure(answer) ? undefined : answer.headers['Report-Log-Position'];
    return answer;
  };
  const [head, ...others] = queries.flat();
  if (head === undefined) return queries.map(() => []);
  const answers = [await ask(head), ...(await Promise.all(others.map(ask)))];
  let taken = 0;
  return queries.map(({length}) => answers.slice(taken, (taken += length)));
}

async function reportTo(
  front: Front,
  asker: Asker,
  query: ReportQuery,
  at: string | undefined,
): Promise<Report | Failure> {
  try {
    return reportIn(await front.reads.asks.report({ask: 'report', query, ...(at !== undefined && {at})}, asker));
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error;
    // A user was deleted meanwhile: the newest snapshots are all that there is.
    if (at !== undefined && error.failure.code === 'snapshot_gone') return reportTo(front, asker, query, undefined);
    return error.failure;
  }
}

interface Answered extends Pick<Asked, 'queries' | 'parts'> {
  readonly reports: Reports;
}

/** Over the compared range up to the same moment; undefined: that is all of it, or nothing is compared. */
async function soFarIn(
  front: Front,
  asker: Asker,
  question: ReportQuestion,
  answers: Reports,
): Promise<Answered | undefined> {
  const first = answers.find((one): one is Report => !isFailure(one));
  if (first === undefined) return undefined;
  const at = first.headers['Report-Log-Position'];
  const soFar = soFarOf(question, Date.parse(first.headers['Report-As-Of']), front);
  if (soFar === undefined) return undefined;
  const {queries, parts} = askedOf(soFar, '', front);
  return {queries, parts, reports: await Promise.all(queries.map((query) => reportTo(front, asker, query, at)))};
}

/** JSON text of the answer; undefined: it failed, and the others stand. */
const textOf = ({reports, parts}: Answered): string | undefined =>
  reports.some(isFailure) ? undefined : parts.answerOf((reports as readonly Report[]).map(({body}) => body!));

/** SR4 */
const freshnessIn = (headers: Report['headers']) => ({
  as_of: headers['Report-As-Of'],
  next_by: headers['Report-Next-By'],
  incomplete_from: headers['Report-Incomplete-From'] ?? null,
});

// -- what is hidden --

/** SR2 */
function checkHidden(front: Front, query: ReportQuery): void {
  const {lists} = front.kept.keys;
  const names = eventsAskedFor(query).some((name) => lists.names.includes(name));
  // `cart.total` is inside of `cart`.
  const isHidden = (property: string): boolean =>
    lists.properties.some((one) => property === one || property.startsWith(`${one}.`));
  if (names || propertiesAskedFor(query).some(isHidden)) throw refused(hiddenAsked);
}

/** SR2. Paths name events that nobody asked for. */
function namesHidden(front: Front, query: ReportQuery, answer: Report | Failure): boolean {
  const {lists} = front.kept.keys;
  if (isFailure(answer) || query.report !== 'paths') return false;
  const {steps} = JSON.parse(answer.body!) as PathsAnswer;
  return steps.flat().some((place) => 'event' in place && lists.names.includes(place.event!));
}
