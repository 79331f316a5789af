// The question of a report as the state of its page: its address is read and written by src/asks/address.ts alone.
import {
  addressOf,
  type Draft,
  pageIn,
  type ReportPage,
  type ReportQuestion,
  type Showable,
} from '../../../src/asks/address.js';
import type {FixedQuestionOf} from '../../../src/asks/question/flat.js';
import type {ConditionMember, UsersMember} from '../../../src/asks/question/members.js';
import {rangeIn, rangeText as textOfMember} from '../../../src/asks/question/range-text.js';
import {readable} from '../../../src/asks/question/readable-query.js';
import type {Codec, Problem} from './codec.js';
import {type Condition, readCondition, writeCondition} from './conditions.js';
import {type Compare, type Interval, parseRange, type Range, rangeText} from './range.js';
import {type Span, timesOf} from './report-address.js';
import {isZone, utc} from './zone.js';

export type {Draft};

type ReportKind = Draft['report'];

/** What the head of a page, a board and a link know of a question. */
export interface Times {
  readonly range: Range;
  readonly zone: string;
  /** Null, or absent: what is usual for the range. */
  readonly every?: Interval | null;
  /** Absent: the page compares nothing. */
  readonly compare?: Compare;
  /** Id of the segment that it is about; null: all users. */
  readonly segment: string | null;
}

/** What the page of the address shows. */
export const showable: Showable = {
  isRange: (text) => parseRange(text) !== undefined && !text.includes(' '),
  isZone,
  isCondition: (text) => readCondition(text) !== undefined,
};

const comparing: readonly ReportPage[] = ['/active'];

/** The state of a page in its address, and its days. */
export const stateOf = <K extends ReportKind>(page: ReportPage) => ({
  codec: {
    read: (search: string) => {
      const {draft, problems} = pageIn({page, search}, showable);
      return {question: draft as Draft<K>, problems};
    },
    write: (question: Draft<K>, kept: readonly Problem[] = []) => {
      const {view, ...asked} = question as AnyDraft;
      const {search} = addressOf({questions: [asked as ReportQuestion], view});
      return kept.length === 0 ? search : withKept(search, kept);
    },
  } satisfies Codec<Draft<K>>,
  isCompared: comparing.includes(page),
  times: (question: Draft<K>): Times => timesIn(question as AnyDraft),
  over: (question: Draft<K>, {range, zone, every, compare}: Partial<Times>): Draft<K> => ({
    ...question,
    ...(range && rangeMembers(range)),
    ...(zone !== undefined && {timezone: zone}),
    ...(every !== undefined && {interval: every ?? undefined}),
    ...(compare !== undefined && {compare: compare === 'off' ? undefined : compare}),
  }),
});

export function timesIn(question: AnyDraft): Required<Times> {
  const {range, timezone = utc, week_start: weekStart, interval = null, compare = 'off', users} = question;
  return {
    range: parseRange(textOfMember(range, weekStart))!,
    zone: timezone,
    every: interval,
    compare,
    segment: users?.segment ?? null,
  };
}

/** Members that some kinds lack. */
type AnyDraft = Draft & {readonly week_start?: 'monday' | 'sunday' | undefined; readonly compare?: Compare | undefined};

function withKept(search: string, kept: readonly Problem[]): string {
  const query = new URLSearchParams(search);
  for (const {name, text} of kept) query.append(name, text);
  return `?${readable(query.toString())}`;
}

/** Weeks from Sunday are of buckets that begin on Sunday. */
function rangeMembers(range: Range) {
  const text = rangeText(range);
  const weeks = text.endsWith('week') ? {week_start: text.includes('sunday') ? 'sunday' : 'monday'} : {};
  return {range: rangeIn(text)!, ...weeks};
}

/** What a page asks the service: its question over these days. */
export function askedOver<K extends ReportKind>(
  question: Draft<K>,
  span: Span,
  interval?: Interval,
): FixedQuestionOf<K> {
  const {view: _, compare: __, week_start: weekStart, ...asked} = question as AnyDraft;
  const weeks = weekStart === 'sunday' ? {week_start: weekStart} : {};
  return {...asked, ...(interval && {interval, ...weeks}), ...timesOf(span)} as unknown as FixedQuestionOf<K>;
}

// -- members --

/** The conditions of a member: all that a page has are texts. */
export const conditionsOf = (members: readonly ConditionMember[] = []): readonly Condition[] =>
  members.flatMap((one) => (typeof one === 'string' && readCondition(one)) || []);

export const membersOf = (conditions: readonly Condition[]): string[] => conditions.map(writeCondition);

/** A property, or `trait:<name>`, that the question is broken down by; null: it is not. */
export const byOf = ({breakdown: [entry] = []}: {readonly breakdown?: readonly Entry[] | undefined}): string | null =>
  entry === undefined ? null : (entry.property ?? `trait:${entry.trait}`);

interface Entry {
  readonly property?: string | undefined;
  readonly trait?: string | undefined;
}

/** Whose events count, in the words of a form. */
interface OfUsers {
  readonly user_where: readonly Condition[];
  readonly segment: string | null;
}

export const ofUsers = ({users}: {readonly users?: UsersMember}): OfUsers => ({
  user_where: conditionsOf(users?.where),
  segment: users?.segment ?? null,
});

export const usersWith = (users: UsersMember, {user_where: where, segment}: Partial<OfUsers>): UsersMember => ({
  ...users,
  ...(where && {where: membersOf(where)}),
  ...(segment !== undefined && {segment: segment ?? undefined}),
});

/** How often the users of a lifecycle came. */
export const stickinessAsked = ({view, ...question}: Draft<'lifecycle'>): Draft<'stickiness'> => ({
  ...question,
  report: 'stickiness',
  at_least: view?.often === 'at_least',
});
