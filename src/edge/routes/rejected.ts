// GET /v1/rejected: recent refusals of this edge, and the conflicts of message ids that partitions found. It answers why an
// event is missing.
import {isoText} from '../../../actors/calendar.js';
import {type Rejected, rejectedCodes} from '../admission/rejected-events.js';
import type {ListedRejection, RejectedAnswer} from '../answers/rejected.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {optional, wholeNumber, withDefault, word} from '../query/parameters.js';
import {readQuery} from '../query/query.js';

/** Code of an entry that was accepted, and dropped by the fold: its messageId was known, with other content. */
const conflictCode = 'conflict';
const listedCodes = [...rejectedCodes, conflictCode] as const;

const limitMax = 1_000;
const limitDefault = 100;

export const rejectedForm = {
  code: optional(word(listedCodes), {description: 'Only refusals with this code.'}),
  limit: withDefault(wholeNumber(limitMax), limitDefault, {description: 'Refusals in the answer.'}),
};

export async function readRejected(front: Front, exchange: Exchange): Promise<void> {
  const {code, limit} = readQuery(exchange.query, rejectedForm);
  const found = [
    ...(code === conflictCode ? [] : refusals(front, code, limit + 1)),
    ...(code === undefined || code === conflictCode ? await conflicts(front) : []),
  ].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
  const answer: RejectedAnswer = {
    data: found.slice(0, limit),
    has_more: found.length > limit,
    since: isoText(front.writes.rejected.sinceMs),
    kept: 'in memory only: lost when the process ends',
  };
  exchange.json('200 OK', JSON.stringify(answer));
}

/** The newest `countMax` refusals. */
function refusals(
  {writes: {rejected}}: Front,
  code: Rejected['code'] | undefined,
  countMax: number,
): ListedRejection[] {
  const found: ListedRejection[] = [];
  for (const one of rejected.newest(code)) {
    if (found.length === countMax) break;
    found.push(shown(one));
  }
  return found;
}

/** @throws RequestFailure (503) when a partition does not answer: its conflicts must not seem to be none. */
async function conflicts({partitionCount, reads: {asks}}: Front): Promise<ListedRejection[]> {
  const partitions = Array.from({length: partitionCount}, (_, partition) => partition);
  const answers = await Promise.all(
    partitions.map((partition) => asks.partition(partition, {ask: 'conflicts'}, ['conflicts'])),
  );
  return answers.flatMap((answer) =>
    answer.conflicts.map(({timeMs, event}) => ({
      at: isoText(timeMs),
      code: conflictCode,
      field: 'messageId',
      index: null,
      event,
      key_id: null,
    })),
  );
}

const shown = ({atMs, code, field, index, event, keyId}: Rejected): ListedRejection => ({
  at: isoText(atMs),
  code,
  field,
  index,
  event,
  key_id: keyId,
});
