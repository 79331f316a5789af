// What a person without the right to personal data is answered: ids, and no traits of single people.
//   PD1. Lists of people and profiles have no traits, and a search reads ids alone.
//   PD2. Reports still filter and break down by traits: their values are of many people.
import type {ReportQuery} from '../../asks/report.js';
import type {Exchange} from '../http/exchange.js';

/** Whoever has a key of the API may see all that it opens. */
export const seesTraits = ({caller: {session}}: Exchange): boolean => session?.seesTraits !== false;

/** The question as its asker may have it answered. PD1 */
export function asSeenBy(exchange: Exchange, query: ReportQuery): ReportQuery {
  if (query.report !== 'user_list' || seesTraits(exchange)) return query;
  return {...query, withoutTraits: true, ...(query.search && {search: {...query.search, traits: []}})};
}
