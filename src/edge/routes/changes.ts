// GET /v1/changes: all that came or changed since a position, for those who copy the data (docs/api/exports.md, Changes).
import type {ChangesPlace, PositionGone} from '../../asks/changes.js';
import {type Failure, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {askerOf} from '../query/asker-of.js';
import {anyText, optional, wholeNumber, withDefault} from '../query/parameters.js';
import {readQuery} from '../query/query.js';
import {linesAs, textForm} from './line-texts.js';

const limitDefault = 1_000;
const limitMax = 10_000;
/** NATS carries answers of up to 900 kB: the last line may have 64 KiB, and there are places. */
const pageBytesMax = 600_000;

export const changesForm = {
  after: optional(anyText, {description: 'The `next` of the page before. Absent: from the beginning.'}),
  limit: withDefault(wholeNumber(limitMax), limitDefault, {
    description: 'Lines on a page. It may have fewer, or none, although more follow.',
  }),
  ...textForm,
};

export async function readChanges(front: Front, exchange: Exchange): Promise<void> {
  const {after, limit, text} = readQuery(exchange.query, changesForm);
  const places = after === undefined ? undefined : placesIn(front, after);
  const query = {limit, bytesMax: pageBytesMax, ...(places === undefined ? {} : {after: places})};
  const answer = await front.reads.asks.report({ask: 'changes', query}, askerOf(exchange));
  if (answer.kind === 'position_gone') throw new RequestFailure(gone(answer.reason));
  if (answer.kind !== 'changes') throw new Error(`the report role answered ${answer.kind} to changes`);
  const next = front.reads.cursors.sealNumbers(answer.next.flatMap(numbersOf), use);
  const body = `{"data":[${linesAs(text, answer.lines).toString('utf8', 0, Math.max(0, answer.lines.length - 1))}],"has_more":${answer.hasMore},"next":"${next}"}`;
  exchange.json('200 OK', body, [
    ['Report-As-Of', answer.asOf],
    ['Report-Log-Position', answer.position],
  ]);
}

const gone = (reason: PositionGone): Failure => ({
  code: 'position_gone',
  message:
    reason === 'old'
      ? 'what changed after this position was kept for 30 days: empty the copy, and start again without after'
      : 'the service has lost what this position is about, or was restored: empty the copy, and start again without after',
  field: 'after',
});

// -- positions --

const use = 'changes';

const fields = [
  'generation',
  'sequence',
  'record',
  'facts',
  'user',
  'users',
  'usersEnd',
  'ordinal',
  'ordinalEnd',
] as const satisfies readonly (keyof ChangesPlace)[];

const numbersOf = (place: ChangesPlace): readonly number[] => fields.map((field) => place[field]);

function placesIn({partitionCount, reads: {cursors}}: Front, text: string): readonly ChangesPlace[] {
  const numbers = cursors.openNumbers(text, use);
  if (numbers?.length !== partitionCount * fields.length) throw new RequestFailure(foreign);
  return Array.from({length: partitionCount}, (_, partition) => {
    const ofPartition = numbers.slice(partition * fields.length);
    return Object.fromEntries(fields.map((field, i) => [field, ofPartition[i]])) as unknown as ChangesPlace;
  });
}

const foreign: Failure = {
  code: 'invalid_cursor',
  message: 'the position is damaged, or is not of this service',
  field: 'after',
};
