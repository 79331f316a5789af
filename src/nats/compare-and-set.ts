// One write of a record on the condition that nobody wrote it since: what owners, keys and settings rest on.
//   CS1. Who is told that it lost was not stored, and the record is another one than it knew.
//   CS2. Of a cluster, a write may be refused because another one of the same record is on its way to a majority. Who wins is open
//        until that one has arrived, so the write is repeated until the server knows.
import {setTimeout as pause} from 'node:timers/promises';
import type {JetStreamClient, JetStreamPublishOptions} from '@nats-io/jetstream';
import {monotonicMs} from '../clock.js';
import {hasCode, writeUnderWay, wrongLastSequence} from './error-codes.js';

const againMs = 10;
/** As long as the client waits for an answer. */
const msMaxDefault = 5_000;

/**
 * Sequence of the stored message; undefined: `revision` (0: none yet) is not the newest of the subject. CS1
 * @throws what the client throws; CS2 after `timeout`, with the code `writeUnderWay`: it was not stored.
 */
export async function putIfNewest(
  js: JetStreamClient,
  subject: string,
  payload: Uint8Array | string,
  revision: number,
  options: Partial<Pick<JetStreamPublishOptions, 'msgID' | 'timeout'>> = {},
): Promise<number | undefined> {
  const endMs = monotonicMs() + (options.timeout ?? msMaxDefault);
  for (;;) {
    try {
      return (await js.publish(subject, payload, {...options, expect: {lastSubjectSequence: revision}})).seq;
    } catch (error) {
      if (hasCode(error, wrongLastSequence)) return undefined;
      if (!hasCode(error, writeUnderWay) || monotonicMs() > endMs) throw error;
      await pause(againMs);
    }
  }
}
