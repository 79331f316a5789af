// Who may have snapshots taken for a report that must include writes, and what a client hears until there is one.
import {expect, test} from 'vitest';
import type {PartitionQuestion} from '../../src/asks/partition.js';
import type {ReportAnswer, ReportQuestion} from '../../src/asks/report.js';
import {RequestFailure} from '../../src/edge/failure.js';
import type {Front} from '../../src/edge/front.js';
import type {Exchange} from '../../src/edge/http/exchange.js';
import {Asks} from '../../src/edge/query/asks.js';
import {answerIncluding, readMinPosition} from '../../src/edge/routes/min-log-position.js';

const asked = {ask: 'report', query: {report: 'names', fromMs: 0, toMs: 1, limit: 1}} as const;
const report = {kind: 'report', headers: {}, body: '{}'} as unknown as ReportAnswer;
const notYet: ReportAnswer = {kind: 'not_yet', lacking: [0, 2], nextByMs: 90_500};

/** Roles whose report thread answers like this, one after the other. @returns what was asked, and the outcome. */
async function outcome(kind: string | undefined, ...answers: ReportAnswer[]): Promise<{asks: string[]; end: unknown}> {
  const asks: string[] = [];
  const asksOfEdge = new Asks({
    request: async (subject, question) => {
      const {ask, includes} = question as PartitionQuestion &
        Pick<Extract<ReportQuestion, {ask: 'report'}>, 'includes'>;
      asks.push(includes === undefined ? `${subject} ${ask}` : `${subject} ${includes.positions} ${includes.waitMs}`);
      if (ask === 'publish') throw new Error('nobody listens');
      return answers.shift();
    },
  });
  const front = {reads: {asks: asksOfEdge}, wallMs: () => 60_000} as unknown as Front;
  const exchange = {caller: {key: kind && {kind}}} as unknown as Exchange;
  const end = await answerIncluding(front, exchange, asked, '0:1.2').catch((error: RequestFailure) => error.failure);
  return {asks, end};
}

test('a snapshot that includes the writes is answered from at once', async () => {
  expect(await outcome('secret', report)).toEqual({asks: ['ask.report 0:1.2 0'], end: report});
});

test('a secret key has those partitions publish that lack a write', async () => {
  expect(await outcome('secret', notYet, report)).toEqual({
    asks: ['ask.report 0:1.2 0', 'ask.partition.0 publish', 'ask.partition.2 publish', 'ask.report 0:1.2 2000'],
    end: report,
  });
});

test.each(['read', undefined])('a key of kind %s only waits', async (kind) => {
  expect(await outcome(kind, notYet, report)).toEqual({
    asks: ['ask.report 0:1.2 0', 'ask.report 0:1.2 2000'],
    end: report,
  });
});

test.each([
  ['secret', 90_500, '5'],
  ['secret', 62_500, '3'],
  ['read', 90_500, '31'],
  ['read', 59_000, '1'],
])('a %s key hears when to try again', async (kind, nextByMs, seconds) => {
  const {end} = await outcome(kind, notYet, {...notYet, nextByMs});
  expect(end).toMatchObject({code: 'not_yet', field: 'Min-Log-Position', headers: [['Retry-After', seconds]]});
});

test.each(['', '1', '0:1', 'x', '0:1.1;1:1.1', '0:1.-1', '4:1.1', '0:1.1,', '0:1.1234567890123456'])(
  '"%s" is refused',
  (minLogPosition) => {
    expect(() => readMinPosition({minLogPosition} as Exchange, 4)).toThrow(RequestFailure);
  },
);

test('several positions may have spaces, as headers that occur twice have', () => {
  expect(readMinPosition({minLogPosition: '0:1.1, 3:2.7'} as Exchange, 4)).toBe('0:1.1,3:2.7');
  expect(readMinPosition({} as Exchange, 4)).toBeUndefined();
});
