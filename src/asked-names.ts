// Names of events and properties in a question, for hints about them; and how a hint, which is a header, shows a name.
import type {Condition} from '../actors/report/rows/condition.js';
import type {ChosenEvents} from './asks/funnels.js';
import type {ReportQuery} from './asks/report.js';
import type {Deed, UserRules} from './asks/user-filter.js';

export function eventsAskedFor(query: ReportQuery): readonly string[] {
  const ofUsers = deedsOf(query).map(({event}) => event);
  const ofNumber = behindIn(query).flatMap(eventsAskedFor);
  return [...ofNumber, ...eventsCounted(query), ...ofUsers].filter((name) => name !== undefined);
}

/** Rules of the users that it is about, and of those whom it leaves out. */
export function userRulesOf(query: ReportQuery): readonly UserRules[] {
  if (!('users' in query) || query.users === undefined) return [];
  const {except, ...meant} = query.users;
  return except === undefined ? [meant] : [meant, except];
}

const deedsOf = (query: ReportQuery): readonly Deed[] => userRulesOf(query).flatMap(({did}) => did);

/** The question of the number that people are behind. */
const behindIn = (query: ReportQuery): readonly ReportQuery[] =>
  'behind' in query && query.behind !== undefined ? [query.behind.query] : [];

function eventsCounted(query: ReportQuery): readonly (string | undefined)[] {
  if ('event' in query) return [query.event];
  if (query.report === 'retention') return [query.start.event, query.return.event];
  if ('did' in query) return [query.did?.event];
  if ('steps' in query) return onPaths(query).map(({event}) => event);
  return 'events' in query ? (query.events ?? []) : [];
}

/** Steps of a funnel, and what it excludes. */
const onPaths = (query: Extract<ReportQuery, {steps: unknown}>): readonly ChosenEvents[] => [
  ...query.steps,
  ...('exclusions' in query ? (query.exclusions ?? []) : []),
];

/** Conditions on events; those on users' traits are in `users`. */
export function conditionsAskedFor(query: ReportQuery): readonly Condition[] {
  const conditions: Condition[] = [];
  const add = (where: readonly Condition[] | undefined): void => void conditions.push(...(where ?? []));
  for (const one of behindIn(query)) add(conditionsAskedFor(one));
  if ('where' in query) add(query.where);
  if ('did' in query) add(query.did?.where);
  for (const {where} of deedsOf(query)) add(where);
  if (query.report === 'retention') for (const {where} of [query.start, query.return]) add(where);
  if ('steps' in query) for (const {where} of onPaths(query)) add(where);
  return conditions;
}

export function propertiesAskedFor(query: ReportQuery): readonly string[] {
  const names: string[] = [];
  if ('breakdown' in query) for (const {by, name} of query.breakdown ?? []) if (by === 'property') names.push(name);
  if ('property' in query && query.property !== undefined) names.push(query.property);
  if ('sort' in query && query.sort?.property !== undefined) names.push(query.sort.property);
  if ('hold' in query && query.hold !== undefined) names.push(query.hold);
  return [...names, ...conditionsAskedFor(query).map(({property}) => property)];
}

const nameCharsMax = 64;

/** Printable ASCII, everything else escaped as in JSON; long names are cut. */
export function quotedInHint(name: string): string {
  const shown = name.length > nameCharsMax ? `${name.slice(0, nameCharsMax)}...` : name;
  return JSON.stringify(shown).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
