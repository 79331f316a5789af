// What goes along from one page to the next: the days, their zone, and the conditions on events and users.
//   CA1. A page takes what it has a control for, under the name that it has there. The rest is known until a page takes it again.
//   CA2. A page that shows one person, or all boards, has none of it in its address, and changes nothing of what is known.
import {readable} from '../../../src/asks/question/readable-query.js';

type Kind = 'range' | 'zone' | 'where' | 'user_where' | 'segment' | 'not_segment';

/** Texts of an address, by what they say. */
export type Carried = Readonly<Partial<Record<Kind, readonly string[]>>>;

const same = (...kinds: readonly Kind[]): readonly Taken[] => kinds.map((kind) => [kind, kind]);
type Taken = readonly [kind: Kind, name: string];

const ofReports = same('range', 'zone', 'user_where', 'segment', 'not_segment');
const ofActivity = [...ofReports, ...same('where')];
const ofSeries: readonly Taken[] = [...ofReports, ['where', 'all_where']];

/** Parameters by the path of the page. */
const taken: Readonly<Record<string, readonly Taken[]>> = {
  '/': same('range', 'zone', 'not_segment'),
  '/web': same('range', 'zone', 'where', 'not_segment'),
  '/boards': same('where', 'user_where', 'not_segment'),
  '/trends': ofSeries,
  '/funnels': ofSeries,
  '/retention': ofReports,
  '/lifecycle': ofActivity,
  '/paths': ofActivity,
  '/active': ofActivity,
  '/people': same('zone', 'user_where', 'not_segment'),
};

/** CA2 */
const isApart = (path: string, query: URLSearchParams): boolean =>
  path === '/boards' ? !query.has('board') : ['user', 'anonymous', 'receipt'].some((name) => query.has(name));

/** What is known once a page of this address is shown. */
export function carriedFrom(before: Carried, path: string, search: string): Carried {
  const query = new URLSearchParams(search);
  if (isApart(path, query)) return before;
  const own = (taken[path] ?? []).map(([kind, name]) => [kind, query.getAll(name)] as const);
  return {...before, ...Object.fromEntries(own)};
}

/** The query of a page that takes what is known; empty where that is nothing. */
export function carriedTo(path: string, known: Carried): string {
  const query = new URLSearchParams();
  for (const [kind, name] of taken[path] ?? []) for (const text of known[kind] ?? []) query.append(name, text);
  const text = readable(query.toString());
  return text && `?${text}`;
}
