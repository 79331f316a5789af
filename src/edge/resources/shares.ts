// Links that share a report or board with people who do not sign in. src/edge/dashboard/shares.ts answers those who open a link.
//   LI1. What a link shows never changes, but for the saved report or board that it follows: people who have the link were given one.
//   LI2. A report that names people is shared only with `may_name_people`: the refusal says why it names them.
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {parseTimestamp} from '../../../actors/log/timestamp.js';
import type {Asker} from '../../asks/asker.js';
import {boardsOf} from '../../kept/board.js';
import {isDefinitionId} from '../../kept/definition.js';
import {savedReportsOf} from '../../kept/saved-report.js';
import {
  neverEnds,
  newShareToken,
  type Share,
  type SharedBoard,
  type SharedReport,
  sharedOf,
  sharesMax,
  sharesOf,
} from '../../kept/share.js';
import {hashKey} from '../../keys/key.js';
import {createdShareAnswer, shareAnswer} from '../answers/shares.js';
import {invalidRequest, RequestFailure, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import {readQuestions} from '../routes/json-fields.js';
import {whyFew} from '../routes/names-people.js';
import {answersOf, boardAnswersOf} from '../routes/shared-report.js';
import {name} from './fields.js';
import {keptReportOf, ownReport} from './kept-report.js';
import {resourceOf} from './resource.js';

const dayMs = 86_400_000;
const daysDefault = 30;
const originsMax = 10;

const endsRule = `ends_at must be a moment in UTC such as 2026-11-03T10:00Z, or ${neverEnds}`;
const endPattern = new RegExp(`^(?:${neverEnds}|\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z)$`);
const originRule = `origins must be up to ${originsMax} origins as browsers send them, such as https://example.com: no path, no "*"`;

/** An origin that a policy can name. URLs allow `;` and `,` in a host, with which a policy would have further directives. */
function isWebOrigin(text: string): boolean {
  return /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

const form = z.strictObject({
  report: z
    .string('report must be the id of a saved report')
    .optional()
    .describe('Id of a saved report: the link has its name, and shows what it becomes.'),
  board: z.string('board must be the id of a board').optional().describe('In place of `report`, the id of a board.'),
  name: name.optional().describe('In place of `report`, with `questions`, which stay as they are.'),
  questions: ownReport.questions.optional(),
  view: ownReport.view,
  ends_at: z
    .string(endsRule)
    .regex(endPattern, endsRule)
    .refine((end) => end === neverEnds || Number.isFinite(parseTimestamp(end)), endsRule)
    .optional()
    .describe(`A moment in UTC, or \`${neverEnds}\`. Default: in ${daysDefault} days.`),
  origins: z
    .array(z.string(originRule).refine(isWebOrigin, originRule), originRule)
    .max(originsMax, originRule)
    .optional()
    .describe('Origins such as `https://wiki.example.com` whose pages may embed it.'),
  may_name_people: z
    .boolean('may_name_people must be true or false')
    .optional()
    .describe('Without it, a report that may name people is refused, with the reason.'),
});
type Fields = z.output<typeof form>;

const refused = (field: string, message: string): RequestFailure => new RequestFailure(invalidRequest(message, field));

interface Meant {
  readonly shown: SharedReport | SharedBoard;
  readonly of: Share['of'];
  /** Member that names it. */
  readonly field: 'report' | 'board' | 'questions';
}

/** @throws RequestFailure */
function meantBy({report, board, name: called, questions, view}: Fields, front: Front): Meant {
  const field = report !== undefined ? 'report' : board !== undefined ? 'board' : 'questions';
  if (field === 'questions') {
    if (questions === undefined)
      throw refused('report', 'a link needs the report or board that it follows, or questions');
    if (called === undefined) throw refused('name', 'questions need a name');
    const of = keptReportOf({questions, view}, '', front);
    return {shown: {name: called, ...of}, of, field};
  }
  const others = {board: field === 'report' ? board : undefined, name: called, questions, view};
  const [own] = Object.entries(others).filter(([, value]) => value !== undefined);
  if (own !== undefined)
    throw refused(own[0], `a link that follows a ${field} has its ${own[0]}: leave one of both out`);
  const {store} = front.kept;
  const id = (report ?? board)!;
  const shown = field === 'report' ? savedReportsOf(store).get(id) : boardsOf(store).get(id);
  if (shown === undefined) throw refused(field, `no such ${field === 'report' ? 'saved report' : field}`);
  return {shown, of: {follows: id}, field};
}

/** What it names. @throws RequestFailure for one that is not shared. LI2 */
async function namingIn({shown, field}: Meant, mayNamePeople: boolean, front: Front, asker: Asker) {
  const asked = 'tiles' in shown ? boardAnswersOf(front, shown.tiles, asker) : answersOf(front, shown, asker);
  const {naming, ...answered} = await asked.catch((error: unknown) => {
    if (!(error instanceof RequestFailure)) throw error;
    throw new RequestFailure({...error.failure, field});
  });
  const all =
    'tiles' in answered ? answered.tiles.flatMap((tile) => ('answers' in tile ? tile.answers : [])) : answered.answers;
  const failing = all.find((one) => 'error' in one);
  const what = field === 'board' ? 'board' : 'report';
  if (failing !== undefined) {
    const message = `the ${what} cannot be answered: ${failing.error.message}`;
    throw failing.status >= 500 ? new RequestFailure(unavailable(message)) : refused(field, message);
  }
  const people = [...naming.people, ...naming.few.map(whyFew)];
  if (people.length > 0 && !mayNamePeople)
    throw refused('may_name_people', `the ${what} may name people to everybody who has the link: ${people.join('; ')}`);
  return naming;
}

/** Epoch ms; null: never. @throws RequestFailure */
function endOf(end: string | null | undefined, nowMs: number): number | null {
  if (end === neverEnds) return null;
  const untilMs = end === undefined || end === null ? nowMs + daysDefault * dayMs : parseTimestamp(end);
  if (untilMs <= nowMs) throw refused('ends_at', 'ends_at must be later than now');
  return untilMs;
}

const followed = (id: string) => (isDefinitionId('bd', id) ? {board: id} : {report: id});

const exampleId = 'sh_0123456789abcdef';
const question = {report: 'counts', events: [{event: 'signup'}], range: '-30d', timezone: 'UTC'} as const;

export const shares = resourceOf({
  noun: 'link',
  name: 'share',
  definitions: sharesOf,
  countMax: sharesMax,
  /** The longest questions, mostly escaped. */
  bodyBytesMax: 512 * 1024,
  // They show numbers to people whom nobody signed in.
  roles: {reads: 'admin', changes: 'admin'},
  form,
  change: z.strictObject({
    name: form.shape.name,
    ends_at: form.shape.ends_at.nullable(),
    origins: form.shape.origins.nullable(),
  }),
  read: readQuestions,
  answer: shareAnswer,
  async made(fields, {name: createdBy, atMs, asker, secret}, front) {
    const {ends_at: end, origins = [], may_name_people: mayNamePeople = false} = fields;
    const untilMs = endOf(end, atMs);
    const meant = meantBy(fields, front);
    const {brokenDownBy} = await namingIn(meant, mayNamePeople, front, asker);
    return {
      ...{hash: hashKey(secret), name: meant.shown.name, of: meant.of, untilMs},
      ...{origins: [...new Set(origins)], mayNamePeople, brokenDownBy, createdBy},
      ...{reads: 0, lastReadMs: null},
    };
  },
  once: {answer: createdShareAnswer, newSecret: newShareToken, shown: (token) => ({token})},
  edited: ({name: called, untilMs, origins}) => [called, untilMs, origins],
  edit({name: called, ends_at: end, origins}, {atMs}, _, {of}) {
    if (called !== undefined && 'follows' in of)
      throw refused('name', 'a link that follows a report or board has its name');
    const ends = end === undefined ? {} : {untilMs: endOf(end, atMs)};
    const embedding = origins === undefined ? {} : {origins: [...new Set(origins)]};
    return (held) => ({...held, name: called ?? held.name, ...ends, ...embedding});
  },
  shown: (share, {kept: {store, shareReads}}) => {
    const {id, name: called, of, origins, mayNamePeople, createdMs, createdBy, untilMs} = share;
    const shown = sharedOf(store, share);
    const {reads, lastReadMs} = shareReads.of(share);
    return {
      ...{id, name: shown?.name ?? called, ...('follows' in of ? followed(of.follows) : of)},
      ...{origins, may_name_people: mayNamePeople},
      ends_at: untilMs === null ? neverEnds : isoText(untilMs),
      is_shown: shown !== undefined,
      ...{created_at: isoText(createdMs), created_by: createdBy},
      ...{reads, last_read_at: lastReadMs === null ? null : isoText(lastReadMs)},
    };
  },
  forget: (id, front) => front.kept.revocations.add({what: 'share', id}),
  description: {
    tag: 'Kept',
    about:
      'The link shows one report or board to everybody who has it. Only this answer ' +
      'shows the token. A deleted link shows nothing from then on.',
    ofChange: 'What it shows stays.',
    example: {
      id: exampleId,
      body: {name: 'Growth', questions: [question], ends_at: neverEnds},
      change: {origins: ['https://wiki.example.com']},
    },
  },
});
