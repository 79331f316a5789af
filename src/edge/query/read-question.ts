// A question from a JSON body. A refusal has the JSON pointer of the member at fault, says what is allowed there, and what was probably
// meant.
import type {z} from 'zod';
import {type Kind, kinds, type Question} from '../../asks/question/kinds.js';
import {isJsonObject} from '../../ingest/validate.js';
import {didYouMean, nearestOf} from '../../nearest.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import {numberIn, renamed} from './renamed.js';

const kindNames = Object.keys(kinds) as Kind[];
/** Names of the routes. */
const otherNames: ReadonlyMap<unknown, Kind> = new Map([
  ['events', 'counts'],
  ['users', 'active'],
]);

/** The normal form of a question. `at`: pointer of the value in the body. @throws RequestFailure */
export function readQuestion(value: unknown, at: string): Question {
  if (!isJsonObject(value)) throw refused(at, 'must be an object: a question');
  const {report} = value;
  if (report === undefined) throw refused(`${at}/report`, `is required: one of ${kindNames.join(', ')}`);
  if (!kindNames.includes(report as Kind)) {
    const meant = typeof report === 'string' ? (otherNames.get(report) ?? nearestOf(report, kindNames)) : undefined;
    throw refused(`${at}/report`, `must be one of ${kindNames.join(', ')}${didYouMean(meant)}`);
  }
  const read = (kinds[report as Kind] as z.ZodType<Question>).safeParse(value);
  if (!read.success) throw refusalOf(innermost(read.error.issues, value), value, at);
  return withoutEmpty(read.data) as Question;
}

const refused = (pointer: string, why: string): RequestFailure =>
  new RequestFailure(invalidRequest(`${pointer === '' ? 'the body' : pointer} ${why}`, pointer));

type Issue = z.core.$ZodIssue;

/**
 * The one that says most: a misspelt member is often why another one is missing, and of the forms that a value may have, the one that
 * it was meant to have says what is wrong.
 */
export function innermost(issues: readonly Issue[], value: unknown): Issue {
  const issue = issues.find(({code}) => code === 'unrecognized_keys') ?? issues[0]!;
  if (issue.code !== 'invalid_union') return issue;
  const found = valueAt(issue.path, value);
  const meant = issue.errors.find((issues) => issues.length > 0 && !isOfOtherForm(issues[0]!, found));
  if (meant === undefined) return issue;
  const inner = innermost(meant, found);
  return {...inner, path: [...issue.path, ...inner.path]};
}

/** Whether a form is not the one that the value was meant to have. A word is a text: of an object it says nothing. */
const isOfOtherForm = ({code, path}: Issue, value: unknown): boolean =>
  path.length === 0 && (code === 'invalid_type' || (code === 'invalid_value' && typeof value !== 'string'));

const valueAt = (path: readonly PropertyKey[], value: unknown): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value);

const escaped = (key: PropertyKey): string => String(key).replaceAll('~', '~0').replaceAll('/', '~1');

/** What is wrong with a member, as a pointer into the body. */
export function refusalOf(issue: Issue, value: unknown, at: string): RequestFailure {
  const pointer = at + issue.path.map((key) => `/${escaped(key)}`).join('');
  if (issue.code === 'unrecognized_keys') return refused(`${pointer}/${escaped(issue.keys[0]!)}`, issue.message);
  return refused(
    pointer,
    valueAt(issue.path, value) === undefined ? `is required: ${issue.message}` : `must be ${issue.message}`,
  );
}

/** Without members that are as if they were absent: empty lists and objects, `undefined`. */
export function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([key, one]) => [key, withoutEmpty(one)] as const);
  return Object.fromEntries(members.filter(([, one]) => !isEmpty(one)));
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) ? value.length === 0 : isJsonObject(value) && isBare(value));

const isBare = (value: object): boolean => Object.keys(value).length === 0;

// -- refusals of what a question means --

/** Members by the names of their parameters, where these differ. */
const members: Readonly<Record<string, string>> = {
  from: 'range/from',
  to: 'range/to',
  property: 'measure/property',
  segment: 'users/segment',
  not_segment: 'users/not_segment',
  breakdown_limit: 'breakdown/0/limit',
  breakdown_at: 'breakdown/0/at',
};
const numberedMembers: Readonly<Record<string, string>> = {
  events: 'events/#',
  exclude: 'exclude/#',
  exclude_between: 'exclude/#/between',
  did: 'users/did/#/range',
};

function memberOf(field: string): string {
  const numbered = numberIn(field);
  if (numbered === undefined) return members[field] ?? field;
  return (numberedMembers[numbered.base] ?? numbered.base).replace('#', String(numbered.number - 1));
}

/** Runs what makes a query of the question at this pointer. Its refusals point into the body. */
export const pointing = <Value>(at: string, read: () => Value): Value =>
  renamed((field) => `${at}/${memberOf(field)}`, read);
