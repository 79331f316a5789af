// What an assistant may ask: at most twelve tools, none of which changes anything.
//   MT1. The answer to a question is that of POST /v1/query, at the same cost of the key's limit.
import {z} from 'zod';
import {kinds, type Question} from '../../asks/question/kinds.js';
import {wholeNumber, word} from '../../asks/question/members.js';
import {didYouMean, nearestOf} from '../../nearest.js';
import type {Meta} from '../answers/report-meta.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {oneUser, type UnknownUser, userForm, userNotFound} from '../query/asked-user.js';
import {type JsonSchema, readQuery} from '../query/query.js';
import {readQuestion} from '../query/read-question.js';
import {historyOf} from '../routes/events.js';
import {askedOf, oneAnswer} from '../routes/query.js';
import {profileOf} from '../routes/users.js';
import {questionCharsMax, resultOf, type Table, type ToolResult} from './result.js';
import {Described} from './schemas.js';
import {historyTable, profileTable, tables} from './tables.js';

type Arguments = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** @throws RequestFailure */
  readonly run: (front: Front, exchange: Exchange, args: Arguments) => Promise<ToolResult>;
}

type ToolKind = keyof typeof tables;
type Shape = Readonly<Record<string, z.ZodType>>;

const described = new Described();
const shapeOf = (kind: ToolKind): Shape => kinds[kind].shape;
const picked = (kind: ToolKind, names: readonly string[]): Shape =>
  Object.fromEntries(names.map((name) => [name, shapeOf(kind)[name]!]));

const at = z.string().optional().describe('The at of an earlier result: the same snapshots.');

/** @throws RequestFailure that names an argument that the tool does not have. */
function readNames(args: Arguments, shape: Shape): void {
  const names = Object.keys(shape);
  const unknown = Object.keys(args).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const meant = didYouMean(nearestOf(unknown, names));
  throw new RequestFailure(
    invalidRequest(`${unknown} is not among the arguments: ${names.join(', ')}${meant}`, unknown),
  );
}

/** @throws RequestFailure */
function readMembers<Members extends z.ZodObject>(members: Members, args: Arguments): z.infer<Members> {
  const read = members.safeParse(args);
  if (read.success) return read.data;
  const {path, message} = read.error.issues[0]!;
  throw new RequestFailure(invalidRequest(`${path.join('/')} must be ${message}`, path.join('/')));
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Asks the same with `/v1`. Its words stand for the address of the service and for a key. */
function curlOf(path: string, more = ''): string {
  const command = `curl -s "$MILLRACE_URL${path}" -H "Authorization: Bearer $MILLRACE_KEY"${more}`;
  return command.length <= questionCharsMax + 200
    ? command
    : `the question has ${command.length} characters: send it to POST /v1/query`;
}

const curlOfQuestion = (question: Question, position: string): string =>
  curlOf(
    '/v1/query',
    ` -H 'Content-Type: application/json' -d ${quoted(JSON.stringify({questions: [question], at: position}))}`,
  );

interface QuestionTool {
  readonly name: string;
  readonly description: string;
  readonly shape: Shape;
  /** The question of the arguments, without `at`. @throws RequestFailure */
  readonly questionOf: (args: Arguments) => Question;
}

function questionTool({name, description, shape: own, questionOf}: QuestionTool): Tool {
  const shape = {...own, at};
  const run: Tool['run'] = async (front, exchange, args) => {
    readNames(args, shape);
    const {at: position, ...members} = args;
    const read = readMembers(z.object({at: z.string('the at of a result').optional()}), {at: position});
    const asked = askedOf(questionOf(members), '', front);
    const answered = JSON.parse(await oneAnswer(front, exchange, asked, read.at)) as Answered;
    const {question, answer, meta} = answered;
    const table: Table = tables[question.report as ToolKind](answer as never);
    return resultOf(table, {
      question,
      asOf: meta.as_of,
      logPosition: meta.log_position,
      hint: meta.hint,
      curl: curlOfQuestion(question, meta.log_position),
    });
  };
  return {name, description, inputSchema: described.of(shape), run};
}

interface Answered {
  readonly question: Question;
  readonly answer: unknown;
  readonly meta: Meta;
}

/** A tool whose arguments are members of one kind of question. */
const ofKind = (name: string, kind: ToolKind, description: string, members: readonly string[]): Tool =>
  questionTool({
    name,
    description,
    shape: picked(kind, members),
    questionOf: (args) => readQuestion({...args, report: kind}, ''),
  });

const subject = word(['events', 'users']).default('events').describe('Properties of events, or traits of users.');

const propertiesTool = (): Tool =>
  questionTool({
    name: 'properties',
    description: 'Which properties events have, or which traits users have, the most frequent first.',
    shape: {of: subject, ...picked('properties', ['event', 'prefix', 'limit'])},
    questionOf: ({of, ...args}) => {
      const isOfUsers = readMembers(z.object({of: subject}), {of}).of === 'users';
      return readQuestion({...args, report: isOfUsers ? 'traits' : 'properties'}, '');
    },
  });

const valuesTool = (): Tool =>
  questionTool({
    name: 'values',
    description: 'Values of a property of events, or of a trait of users, the most frequent first.',
    shape: {
      property: shapeOf('values').property!.optional(),
      trait: shapeOf('trait_values').trait!.optional().describe('In place of a property: a trait of users.'),
      ...picked('values', ['event', 'prefix', 'limit']),
    },
    questionOf: (args) => readQuestion({...args, report: args.trait === undefined ? 'values' : 'trait_values'}, ''),
  });

const funnelMembers = ['steps', 'window', 'order', 'exclude', 'where', 'users', 'range', 'timezone'];
const lost = {
  step: wholeNumber(1, 50).optional().describe('Number of the step. Default: the last one.'),
  outcome: word(['reached', 'dropped'])
    .default('dropped')
    .describe('Who reached it, or who reached the one before alone.'),
};

const funnelUsersTool = (): Tool =>
  questionTool({
    name: 'funnel_users',
    description: 'The people who reached a step of a funnel, or were lost before it.',
    shape: {...picked('funnel', funnelMembers), ...lost, limit: shapeOf('people').limit!},
    questionOf: ({step, outcome, limit, ...args}) => {
      const place = readMembers(z.object(lost), {step, outcome});
      const question = readQuestion({...args, report: 'funnel'}, '') as Extract<Question, {report: 'funnel'}>;
      const point = {step: place.step ?? question.steps.length, outcome: place.outcome};
      return readQuestion({report: 'people', behind: {question, point}, ...(limit !== undefined && {limit})}, '');
    },
  });

// -- of one user, and of single events --

/** @throws RequestFailure */
function texts(args: Arguments): URLSearchParams {
  const wrong = Object.keys(args).find((name) => !['string', 'number'].includes(typeof args[name]));
  if (wrong !== undefined) throw new RequestFailure(invalidRequest(`${wrong} must be a text or a number`, wrong));
  return new URLSearchParams(Object.entries(args).map(([name, value]): [string, string] => [name, String(value)]));
}

/** @throws RequestFailure */
function found(answer: string | UnknownUser): string {
  if (typeof answer === 'string') return answer;
  const {linkedTo} = answer;
  const message = linkedTo === undefined ? userNotFound.message : `this anonymous user is ${JSON.stringify(linkedTo)}`;
  throw new RequestFailure({...userNotFound, message});
}

const idShape = {
  userId: z.string().optional().describe('Id of a known user.'),
  anonymousId: z.string().optional().describe('Id of an anonymous user, in place of userId.'),
};

const userTool = (): Tool => ({
  name: 'user',
  description: 'One user: traits, first and last seen, anonymous ids.',
  inputSchema: described.of(idShape),
  run: async (front, exchange, args) => {
    readNames(args, idShape);
    const query = texts(args).toString();
    const profile = found(await profileOf(front, exchange, oneUser(readQuery(query, userForm))));
    return resultOf(profileTable(JSON.parse(profile)), {curl: curlOf(`/v1/user?${query}`)});
  },
});

const historyShape = {
  ...idShape,
  event: z.string().optional().describe('Only events of this name.'),
  from: z.string().optional().describe('Only from this ISO 8601 time or date on.'),
  to: z.string().optional().describe('Only up to this time or date.'),
  limit: z.number().optional().describe('Events, the newest first. Default: 50.'),
};

const eventsTool = (): Tool => ({
  name: 'events',
  description: 'Single events, of a user or of all, the newest first. Live: it has what arrived a moment ago.',
  inputSchema: described.of(historyShape),
  run: async (front, exchange, args) => {
    readNames(args, historyShape);
    const query = texts(args).toString();
    const history = found(await historyOf(front, exchange, query));
    return resultOf(historyTable(JSON.parse(history)), {curl: curlOf(`/v1/events?${query}`)});
  },
});

const bucketed = ['users', 'range', 'interval', 'timezone'];

/** In the order in which an assistant reads them: the first that has a member says what it means. */
export const tools: readonly Tool[] = [
  ofKind(
    'overview',
    'names',
    'What is here: names of events with their counts, first and last times, the most frequent first. Ask it first.',
    ['range', 'prefix', 'limit'],
  ),
  propertiesTool(),
  valuesTool(),
  ofKind(
    'count',
    'counts',
    'How often events happened, how many users did them, or a sum, mean or percentile of a property: by date, or by value with breakdown.',
    ['events', 'where', ...bucketed, 'measure', 'breakdown', 'formulas'],
  ),
  ofKind('active_users', 'active', 'Daily, weekly or monthly active users.', [
    'metric',
    'events',
    'where',
    ...bucketed,
    'breakdown',
  ]),
  ofKind('funnel', 'funnel', 'How many users do events one after the other, and where they are lost.', [
    ...funnelMembers,
    'breakdown',
    'interval',
  ]),
  funnelUsersTool(),
  ofKind('retention', 'retention', 'How many users return in each period after an event.', [
    'start',
    'return',
    ...bucketed,
    'periods',
    'criteria',
    'breakdown',
  ]),
  ofKind('paths', 'paths', 'What users do after an event, or before it.', [
    'start',
    'end',
    'where',
    'users',
    'range',
    'timezone',
    'depth',
    'limit',
  ]),
  ofKind('find_users', 'people', 'People by traits and by what they did; with sort, who did or spent the most.', [
    'users',
    'event',
    'where',
    'range',
    'sort',
    'prefix',
    'limit',
  ]),
  userTool(),
  eventsTool(),
];
