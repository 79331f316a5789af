// A number of events by name: of one name, or of all that lists have.
import {flatOf} from '../../../src/asks/question/flat.js';
import type {NamesAnswer} from '../../../src/edge/answers/lists.js';
import type {Span} from '../address/report-address.js';
import {namesMax, namesQuestion} from '../address/report-address.js';
import {count} from '../charts/format.js';
import {read} from '../service/client.js';
import type {Freshness} from '../service/freshness.js';
import {eventsQuery} from './events-query.js';
import {type Explanation, eachOnce, ofUsersText, zoneOf} from './explanation.js';

interface AllNames {
  readonly value: number;
  readonly span: Span;
  /** The span in words. */
  readonly when: string;
  readonly freshness: Freshness | undefined;
}

/** Events of all names. Lists leave hidden ones out: where there are some, no list of events is exactly this. */
export async function allNamesBehind({value, span, when, freshness}: AllNames): Promise<Explanation> {
  const asked = flatOf({...namesQuestion(span, namesMax), hidden: true});
  const answer = await read<NamesAnswer>(asked, undefined, freshness?.position);
  const hidden = answer.kind === 'fault' ? [] : answer.value.data.filter((one) => one.hidden === true);
  const left = hidden.reduce((all, one) => all + one.count, 0);
  const {not_segment} = span;
  const isAll = answer.kind === 'value' && !answer.value.has_more && left === 0 && !not_segment;
  return {
    title: `${count(value)} event${value === 1 ? '' : 's'}`,
    how: [
      `All events of every name${ofUsersText({user_where: [], not_segment: not_segment ?? null})}, ${when} (${zoneOf(span)}). ${eachOnce}`,
      ...(left === 0 ? [] : [`${count(left)} events of names that are hidden from lists are not among them.`]),
    ],
    events: isAll ? eventsQuery(null, span) : undefined,
    freshness,
  };
}
