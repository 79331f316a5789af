// Conditions that a page adds to any question of it: on events, and on the users whose events count.
//   NR1. The question's own conditions hold, too. One that it has already is not added again.
//   NR2. Retention has two kinds of events, each with its own conditions: both get those on events.
//   NR3. A question leaves out one segment: that of the page counts.
import type {Draft} from '../../../src/asks/address.js';
import type {ConditionMember, UsersMember} from '../../../src/asks/question/members.js';

export interface Narrowing {
  readonly where: readonly ConditionMember[];
  readonly users?: Pick<NonNullable<UsersMember>, 'where' | 'did' | 'not_segment'>;
}

export function narrowed<Question>(question: Question, {where, users = {}}: Narrowing): Question {
  const draft = question as Draft;
  return {...question, ...(where.length > 0 && onEvents(draft, where)), ...onUsers(draft, users)};
}

function onUsers(
  {users: own = {}}: Draft,
  {where = [], did = [], not_segment: others}: NonNullable<Narrowing['users']>,
): object {
  if (where.length + did.length === 0 && others === undefined) return {};
  const joint = {where: joined(own.where, where), did: joined(own.did, did)};
  return {users: {...own, ...joint, ...(others !== undefined && {not_segment: others})}}; // NR3
}

function onEvents(draft: Draft, where: Narrowing['where']): object {
  if (draft.report !== 'retention') return {where: joined(draft.where, where)};
  const {start, return: back} = draft; // NR2
  return {
    start: {...start, where: joined(start.where, where)},
    return: {...back, where: joined(back?.where, where)},
  };
}

/** NR1. An empty list is no member of a question. */
function joined<One>(own: readonly One[] = [], added: readonly One[]): One[] | undefined {
  const known = new Set(own.map((one) => JSON.stringify(one)));
  const all = [...own, ...added.filter((one) => !known.has(JSON.stringify(one)))];
  return all.length === 0 ? undefined : all;
}
