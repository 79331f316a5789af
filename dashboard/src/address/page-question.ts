// The question of a report as the state of its page: its address is read and written by src/asks/address.ts alone.
import {
  askedFor,
  byText,
  type Draft,
  type Page,
  type Problem,
  pageIn,
  breakdownBy as partsOf,
  type ReportKind,
  type Showable,
  searchOf,
} from '../../../src/asks/address.js';
import type {FixedQuestionOf} from '../../../src/asks/question/flat.js';
import type {ConditionMember, UsersMember} from '../../../src/asks/question/members.js';
import {rangeIn, rangeText as textOfMember} from '../../../src/asks/question/range-text.js';
import type {Codec} from './codec.js';
import {type Condition, readCondition, writeCondition} from './conditions.js';
import {type Compare, type Interval, parseRange, type Range, rangeText} from './range.js';
import {type Span, timesOf} from './report-address.js';
import {homeZone, isZone} from './zone.js';

export type {Draft};

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
  /** Id of the segment whose users do not count; null: everybody does. */
  readonly not_segment: string | null;
}

/** What the page of the address shows. */
export const showable: Showable = {
  isRange: (text) => parseRange(text) !== undefined && !text.includes(' '),
  isZone,
  isCondition: (text) => readCondition(text) !== undefined,
  get home() {
    return homeZone();
  },
};

const comparing: readonly Page[] = ['/trends', '/active', '/web'];

/** The state of a page in its address, and its days. */
export const stateOf = <K extends ReportKind>(page: Page) => ({
  codec: {
    read: (search: string) => {
      const {draft, problems} = pageIn({page, search}, showable);
      return {question: draft as Draft<K>, problems};
    },
    write: (question: Draft<K>, kept?: readonly Problem[]) => searchOf(page, question as AnyDraft, homeZone(), kept),
  } satisfies Codec<Draft<K>>,
  isCompared: comparing.includes(page),
  times: (question: Draft<K>): Required<Times> => timesIn(question as AnyDraft),
  over: (question: Draft<K>, {range, zone, every, compare, not_segment}: Partial<Times>): Draft<K> => ({
    ...question,
    ...(range && rangeMembers(range)),
    ...(zone !== undefined && {timezone: zone}),
    // Numbers of a funnel have no interval: those over time are asked beside it.
    ...(every !== undefined &&
      (page === '/funnels' ? {view: {every: every ?? undefined}} : {interval: every ?? undefined})),
    ...(compare !== undefined && {compare: compare === 'off' ? undefined : compare}),
    ...(not_segment !== undefined && {users: {...question.users, not_segment: not_segment ?? undefined}}),
  }),
});

/** The address of a page that asks this, and for the rest what it asks without saying. */
export function questionAddress<K extends ReportKind>(
  page: Page,
  changed: Partial<Draft<K>>,
  times: Partial<Times> = {},
): string {
  const {codec, over} = stateOf<K>(page);
  return page + codec.write(over({...codec.read('').question, ...changed}, times));
}

export function timesIn(question: AnyDraft): Required<Times> {
  const {range, timezone = homeZone(), week_start: weekStart, interval = null, compare = 'off', users, view} = question;
  return {
    range: parseRange(textOfMember(range, weekStart))!,
    zone: timezone,
    every: view?.every ?? interval,
    compare,
    segment: users?.segment ?? null,
    not_segment: users?.not_segment ?? null,
  };
}

/** Members that some kinds lack. */
type AnyDraft = Draft & {readonly week_start?: 'monday' | 'sunday' | undefined; readonly compare?: Compare | undefined};

/** Weeks from Sunday are of buckets that begin on Sunday. */
function rangeMembers(range: Range) {
  const text = rangeText(range);
  const weeks = text.endsWith('week') ? {week_start: text.includes('sunday') ? 'sunday' : 'monday'} : {};
  return {range: rangeIn(text)!, ...weeks};
}

/** What a page asks the service: its question over these days. */
export function askedOver<K extends ReportKind>(draft: Draft<K>, span: Span, interval?: Interval): FixedQuestionOf<K> {
  const given = interval === undefined ? draft : {...draft, interval};
  const {compare: _, week_start: weekStart, ...asked} = askedFor(given as AnyDraft, span) as AnyDraft;
  const weeks = weekStart === 'sunday' && asked.interval !== undefined ? {week_start: weekStart} : {};
  return {...asked, ...weeks, ...timesOf(span)} as unknown as FixedQuestionOf<K>;
}

// -- members --

/** The conditions of a member. One whose property is too long for a text is an object. */
export const conditionsOf = (members: readonly ConditionMember[] = []): readonly Condition[] =>
  members.map((one) =>
    typeof one === 'string'
      ? readCondition(one)!
      : {property: one.property, op: one.op, values: [one.value ?? []].flat().map(String)},
  );

export const membersOf = (conditions: readonly Condition[]): string[] => conditions.map(writeCondition);

type Rows = Draft<'active'>['breakdown'];

/** A property, or `trait:<name>`, that the question is broken down by; null: it is not. */
export const byOf = ({breakdown: [entry] = []}: {readonly breakdown?: Rows}): string | null =>
  entry === undefined ? null : byText(entry);

/** Each property or `trait:<name>` that the question is broken down by. */
export const bysOf = ({breakdown = []}: {readonly breakdown?: Rows}): string[] => breakdown.map(byText);

/** The breakdown by a property or trait. */
export const breakdownBy = (by: string | null): Rows => (by === null ? undefined : [partsOf(by)]);
export const breakdownsBy = (bys: readonly string[]): Rows => (bys.length === 0 ? undefined : bys.map(partsOf));

/** Whose events count, in the words of a form. */
interface OfUsers {
  readonly user_where: readonly Condition[];
  readonly segment: string | null;
  readonly not_segment: string | null;
}

export const ofUsers = ({users}: {readonly users?: UsersMember}): OfUsers => ({
  user_where: conditionsOf(users?.where),
  segment: users?.segment ?? null,
  not_segment: users?.not_segment ?? null,
});

export const usersWith = (
  users: UsersMember,
  {user_where: where, segment}: Pick<Partial<OfUsers>, 'user_where' | 'segment'>,
): UsersMember => ({
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
