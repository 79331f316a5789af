// The question of an alert, as the fields of a form and of a list of people.
//   WQ1. What no field shows, as what its users did, stays as it is.
import type {AlertAnswer} from '../../../src/edge/answers/alerts.js';
import type {Condition} from '../address/conditions.js';
import {conditionsOf, membersOf} from '../address/page-question.js';

export type WatchedQuestion = NonNullable<AlertAnswer['question']>;

interface WatchedFields {
  /** Null: of any name. */
  readonly event: string | null;
  readonly counts: 'events' | 'users';
  readonly where: readonly Condition[];
  readonly user_where: readonly Condition[];
  /** Id of a segment; null: of none. */
  readonly segment: string | null;
}

export const fieldsIn = ({events: [entry] = [], where = [], users, measure}: WatchedQuestion): WatchedFields => ({
  event: entry?.event ?? null,
  counts: measure?.of === 'users' ? 'users' : 'events',
  where: conditionsOf([...(entry?.where ?? []), ...where]),
  user_where: conditionsOf(users?.where),
  segment: users?.segment ?? null,
});

/** WQ1 */
export function withFields(question: WatchedQuestion, changed: Partial<WatchedFields>): WatchedQuestion {
  const {event, counts, where, user_where, segment} = {...fieldsIn(question), ...changed};
  return {
    ...question,
    events: event === null ? [] : [{event}],
    where: membersOf(where),
    users: {...question.users, where: membersOf(user_where), segment: segment ?? undefined},
    measure: counts === 'users' ? {of: 'users'} : undefined,
  };
}

/** What its users did, in words: `did login`, `did not buy`. */
export const deedWords = ({users}: WatchedQuestion): readonly string[] =>
  (users?.did ?? []).map(({event, not}) => `did ${not ? 'not ' : ''}${event ?? 'any event'}`);
