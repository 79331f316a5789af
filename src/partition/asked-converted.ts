// Asks the report thread who completed a funnel in a partition.
import {randomUUID} from 'node:crypto';
import type {NatsConnection} from 'nats';
import {throwBroken} from '../../actors/invariant.js';
import {UserSet} from '../../actors/table/user-set.js';
import {partitionsCaller} from '../asks/asker.js';
import type {FunnelPath} from '../asks/funnels.js';
import type {ReportAnswer, ReportQuestion} from '../asks/report.js';
import {askReportSubject} from '../asks/subjects.js';
import {askedHeaders} from '../nats/asked-headers.js';
import {pack, unpack} from '../nats/packed.js';
import type {Converted} from './funnels/saved-funnels.js';

/** A funnel over all rows, with a cold cache. */
const answerMsMax = 60_000;

/** Asks the report thread; undefined: it cannot answer now. */
export async function askConverted(
  nc: NatsConnection,
  partition: number,
  funnel: FunnelPath,
  fromByte: number,
): Promise<Converted | undefined> {
  const question: ReportQuestion = {ask: 'converted', partition, funnel, fromByte};
  try {
    const headers = askedHeaders({number: randomUUID(), caller: partitionsCaller, msMax: answerMsMax});
    const reply = await nc.request(askReportSubject, pack(question), {timeout: answerMsMax, headers});
    const answer = unpack<ReportAnswer>(reply.data);
    return answer.kind === 'converted' ? convertedOf(answer, fromByte) : undefined;
  } catch (error) {
    throwBroken(error);
    return undefined;
  }
}

function convertedOf(
  {position, users: text, hasMore}: Extract<ReportAnswer, {kind: 'converted'}>,
  fromByte: number,
): Converted {
  const bytes = Buffer.from(text, 'base64');
  const users = new UserSet();
  users.restore(bytes);
  return {position, users, firstUser: 8 * fromByte, nextByte: hasMore ? fromByte + bytes.length : undefined};
}
