// POST /v1/query: questions as values, one or many (docs/api/query.md).
//   PQ1. Answers of one request are of one position: that of the first answer. Snapshots that are deleted meanwhile have all questions
//        asked again, of the newest ones.
//   PQ2. A question counts as a request of its own, and waits for the turns of its caller: a few are asked at once, the others after.
import {z} from 'zod';
import {type Kind, type Question, type QuestionOf, question} from '../../asks/question/kinds.js';
import {object, text} from '../../asks/question/members.js';
import type {ReportAnswer, ReportQuery} from '../../asks/report.js';
import {positionsPattern} from '../../log-position.js';
import type {Meta} from '../answers/report-meta.js';
import {errorValue, type Failure, invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {askerOf} from '../query/asker-of.js';
import {asSeenBy} from '../query/personal-data.js';
import {noParameters, readQuery} from '../query/query.js';
import {partsOf, type QuestionParts} from '../query/question-parts.js';
import {pointing, readQuestion} from '../query/read-question.js';
import {renamed} from '../query/renamed.js';
import {namesQuery} from './event-names.js';
import {readObject} from './json-fields.js';
import {propertiesQuery, traitsQuery, traitValuesQuery, valuesQuery} from './lists.js';
import {answerIncluding, readMinPosition, reportIn} from './min-log-position.js';
import {metaOf} from './report-meta.js';
import {reportQueries} from './report-queries.js';
import {hintsOf} from './reports.js';
import {peopleQuery} from './user-list.js';

export const queryBodyBytesMax = 256 * 1024;
const questionsMax = 30;
/** A caller has two slots of the report thread. */
const atOnceMax = 4;
/** Questions that are asked for those of a request: question-parts.ts. */
const partsMax = 60;
/** Times that questions are asked again as their snapshots are deleted: once per deletion. */
const restartsMax = 3;

const at = text('the log_position of an answer', (text) => positionsPattern.test(text))
  .meta({pattern: positionsPattern.source})
  .optional()
  .describe(
    'The `log_position` of an earlier answer: answers over the same snapshots. They are held for up to 10 minutes; then, and ' +
      'after the deletion of a user, each question has the error `snapshot_gone`.',
  );
const countRule = `a list of 1 to ${questionsMax} questions`;

export const severalBody = object({
  questions: z.array(question, countRule).min(1, countRule).max(questionsMax, countRule).describe('The questions.'),
  at,
});
/** Its questions are read one by one: each has an error of its own. */
const several = object({
  ...severalBody.shape,
  questions: z.array(z.unknown(), countRule).min(1, countRule).max(questionsMax, countRule),
});
export const queryBody = z.union([question, severalBody]);

const queries: {readonly [K in Kind]: (question: QuestionOf<K>, front: Front) => ReportQuery} = {
  ...reportQueries,
  names: namesQuery,
  properties: propertiesQuery,
  values: valuesQuery,
  traits: traitsQuery,
  trait_values: traitValuesQuery,
  people: peopleQuery,
};

/** What the report role is asked. @throws RequestFailure that names parameters */
export const queryOf = (question: Question, front: Front): ReportQuery =>
  (queries[question.report] as (question: Question, front: Front) => ReportQuery)(question, front);

/** A refusal of a question for who asks it. */
type Refusing = (exchange: Exchange, question: Question) => Failure | undefined;

/** A question, and what the report role is asked for it. */
export interface Asked {
  readonly question: Question;
  readonly queries: readonly ReportQuery[];
  readonly parts: QuestionParts;
}

/** `at`: pointer of the question in the body. @throws RequestFailure that points into it */
export const askedOf = (question: Question, at: string, front: Front): Asked =>
  pointing(at, () => {
    const parts = partsOf(question, front);
    const queries = parts.parts.map((part, i) =>
      renamed(
        (field) => parts.memberOf(i, field),
        () => queryOf(part, front),
      ),
    );
    return {question, parts, queries};
  });

type Report = Extract<ReportAnswer, {kind: 'report'}>;

/** The handler. `refuse` says whether the caller may ask a question. */
export const answerQuery =
  (refuse: Refusing = () => undefined) =>
  async (front: Front, exchange: Exchange, bytes: Buffer): Promise<void> => {
    const body = readObject(bytes);
    readQuery(exchange.query, noParameters);
    const read = (value: unknown, at: string): Asked => {
      const question = readQuestion(value, at);
      const refusal = refuse(exchange, question);
      if (refusal !== undefined) throw new RequestFailure(refusal);
      return askedOf(question, at, front);
    };
    if (!('questions' in body)) {
      return exchange.json('200 OK', await oneAnswer(front, exchange, read(body, ''), undefined));
    }
    const {questions, at} = readBody(body);
    const asked = questions.map((value, i) => orFailure(() => read(value, `/questions/${i}`)));
    const queries = asked.flatMap((one): readonly (ReportQuery | Failure)[] => (isFailure(one) ? [one] : one.queries));
    if (queries.length > partsMax) throw new RequestFailure(tooMany(queries.length));
    exchange.caller.costs(queries.length);
    const answers = await answersTo(front, exchange, queries, at);
    let taken = 0;
    const texts = asked.map((one) => {
      const own = answers.slice(taken, taken + (isFailure(one) ? 1 : one.queries.length));
      taken += own.length;
      return isFailure(one) ? errorText(one) : answerText(front, one, own);
    });
    exchange.json(
      '200 OK',
      `{"answers":[${texts.join()}],"log_position":${JSON.stringify(positionOf(answers) ?? null)}}`,
    );
  };

/** `at`: the position; undefined: the newest. @throws RequestFailure */
export async function oneAnswer(
  front: Front,
  exchange: Exchange,
  asked: Asked,
  at: string | undefined,
): Promise<string> {
  exchange.caller.costs(asked.queries.length);
  const answers = await answersTo(front, exchange, asked.queries, at);
  const failure = answers.find(isFailure);
  if (failure !== undefined) throw new RequestFailure(failure);
  return answeredText(front, asked, answers as readonly Report[]);
}

const tooMany = (count: number): Failure =>
  invalidRequest(
    `/questions has ${count} questions, as each event with conditions of its own and each range before is one: at most ${partsMax}`,
    '/questions',
  );

function readBody(body: object): z.infer<typeof several> {
  const read = several.safeParse(body);
  if (read.success) return read.data;
  const issue = read.error.issues[0]!;
  const pointer = issue.code === 'unrecognized_keys' ? `/${issue.keys[0]!}` : `/${issue.path.join('/')}`;
  const why = issue.code === 'unrecognized_keys' ? issue.message : `must be ${issue.message}`;
  throw new RequestFailure(invalidRequest(`${pointer} ${why}`, pointer));
}

export const isFailure = (value: object): value is Failure => 'code' in value;

export function orFailure<Value>(read: () => Value): Value | Failure {
  try {
    return read();
  } catch (error) {
    if (error instanceof RequestFailure) return error.failure;
    throw error;
  }
}

// -- one position. PQ1 --

type Answers = readonly (Report | Failure)[];

const positionOf = (answers: Answers): string | undefined =>
  answers
    .map((one) => (isFailure(one) ? undefined : one.headers['Report-Log-Position']))
    .find((one) => one !== undefined);

/** Answers in the order of `asked`, whose failures stay. `at`: the position; undefined: the newest. */
async function answersTo(
  front: Front,
  exchange: Exchange,
  asked: readonly (ReportQuery | Failure)[],
  at: string | undefined,
): Promise<Answers> {
  const includes = readMinPosition(exchange, front.partitionCount);
  if (at !== undefined && includes !== undefined)
    throw new RequestFailure(invalidRequest('at and Min-Log-Position exclude each other', '/at'));
  for (let restarts = 0; ; restarts++) {
    const answers = await atOnePosition(front, exchange, asked, at, includes);
    const isGone = answers.some((one) => isFailure(one) && one.code === 'snapshot_gone');
    if (!isGone || at !== undefined || restarts === restartsMax) return answers;
  }
}

async function atOnePosition(
  front: Front,
  exchange: Exchange,
  asked: readonly (ReportQuery | Failure)[],
  given: string | undefined,
  includes: string | undefined,
): Promise<Answers> {
  const answers: (Report | Failure)[] = [];
  let position = given;
  const answer = async (i: number): Promise<void> => {
    const one = asked[i]!;
    answers[i] = isFailure(one) ? one : await answerTo(front, exchange, one, position, includes);
  };
  let next = 0;
  // The first that has an answer says which position is that of all.
  for (; position === undefined && next < asked.length; next++) {
    await answer(next);
    const first = answers[next]!;
    // Nobody has numbers then, and a later try may have them.
    if (isFailure(first) && (first.code === 'unavailable' || first.code === 'not_yet')) throw new RequestFailure(first);
    position = positionOf([first]);
  }
  const answerOthers = async (): Promise<void> => {
    while (next < asked.length) await answer(next++);
  };
  await Promise.all(Array.from({length: atOnceMax}, answerOthers)); // PQ2
  return answers;
}

async function answerTo(
  front: Front,
  exchange: Exchange,
  query: ReportQuery,
  at: string | undefined,
  includes: string | undefined,
): Promise<Report | Failure> {
  const asked = {ask: 'report', query: asSeenBy(exchange, query)} as const;
  try {
    if (at !== undefined) return reportIn(await front.reads.asks.report({...asked, at}, askerOf(exchange)));
    if (includes !== undefined) return await answerIncluding(front, exchange, asked, includes);
    return reportIn(await front.reads.asks.report(asked, askerOf(exchange)));
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error;
    const {failure} = error;
    return failure.field === 'at' ? {...failure, field: '/at'} : failure;
  }
}

// -- the answer --

const errorText = (failure: Failure): string => `{"error":${JSON.stringify(errorValue(failure))}}`;

function answerText(front: Front, asked: Asked, answers: Answers): string {
  const failure = answers.find(isFailure);
  if (failure === undefined) return answeredText(front, asked, answers as readonly Report[]);
  return `{"question":${JSON.stringify(asked.question)},"error":${JSON.stringify(errorValue(failure))}}`;
}

/** The answer of the report role is JSON already. */
function answeredText(front: Front, {question, queries, parts}: Asked, answers: readonly Report[]): string {
  const bodies = answers.map(({body}) => body!);
  const previous = parts.previousOf(bodies);
  const ofPrevious = previous === undefined ? '' : `"previous":${previous},`;
  const meta = joined(queries.map((query, i) => metaOf(query, answers[i]!, hintsOf(query, front))));
  return `{"question":${JSON.stringify(question)},"answer":${parts.answerOf(bodies)},${ofPrevious}"meta":${JSON.stringify(meta)}}`;
}

/** Of parts, which are of one position. The first ones are of the range that was asked for. */
function joined(metas: readonly Meta[]): Meta {
  const hints = new Set(metas.flatMap(({hint}) => hint ?? []));
  const skipped = metas.flatMap((one) => one.skipped ?? []);
  return {
    ...metas[0]!,
    hint: hints.size === 0 ? null : [...hints].join('; '),
    skipped: skipped.length === 0 ? null : skipped.reduce((sum, one) => sum + one, 0),
  };
}
