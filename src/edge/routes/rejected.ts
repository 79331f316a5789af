// GET /v1/rejected: what this edge refused of late, for whoever looks for events that are missing.
import type {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import type {rejectedAnswer} from '../answers.js';
import type {Exchange} from '../exchange.js';
import type {Front} from '../front.js';
import {optional, wholeNumber, withDefault, word} from '../parameters.js';
import {readQuery} from '../query.js';
import {type Rejected, rejectedCodes} from '../rejected-events.js';

const limitMax = 1_000;
const limitDefault = 100;

export const rejectedForm = {
  code: optional(word(rejectedCodes), {description: 'Only refusals with this code.'}),
  limit: withDefault(wholeNumber(limitMax), limitDefault, {description: 'Refusals in the answer.'}),
};

type Answer = z.infer<typeof rejectedAnswer>;

export function readRejected({rejected}: Front, exchange: Exchange): void {
  const {code, limit} = readQuery(exchange.query, rejectedForm);
  const data: Answer['data'] = [];
  let hasMore = false;
  for (const one of rejected.newest(code)) {
    hasMore = data.length === limit;
    if (hasMore) break;
    data.push(shown(one));
  }
  const answer: Answer = {
    data,
    has_more: hasMore,
    since: isoText(rejected.sinceMs),
    kept: 'in the memory of this process alone: gone when it ends',
  };
  exchange.json('200 OK', JSON.stringify(answer));
}

const shown = ({atMs, code, field, index, event, keyId}: Rejected): Answer['data'][number] => ({
  at: isoText(atMs),
  code,
  field,
  index,
  event,
  key_id: keyId,
});
