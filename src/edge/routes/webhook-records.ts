// The stored records of a webhook: its definition, its health, and its cursor in each partition.
import type {Generations} from '../../../actors/generations.js';
import {forgetRecord} from '../../kept/record-sweep.js';
import {BucketFault} from '../../keys/key-bucket.js';
import {isSilence} from '../../nats/error-codes.js';
import {CursorRecord, cursorName, type HeldRetry} from '../../webhooks/cursor.js';
import type {Endpoint} from '../../webhooks/endpoint.js';
import {healthName} from '../../webhooks/endpoint-health.js';
import {RequestFailure, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import {readPathId} from '../query/query.js';
import {unknownWebhook} from './webhook-body.js';

export const storeSilent = unavailable(
  'the store of webhooks does not respond: a change may or may not have been made, list the webhooks to see',
);

/** The webhook that a path names. @throws RequestFailure (404) */
export function webhookOf({kept: {store}}: Front, segment: string): Endpoint {
  const endpoint = store.endpoints.get(readPathId(segment));
  if (endpoint === undefined) throw new RequestFailure(unknownWebhook);
  return endpoint;
}

/** Events of an ordered webhook that wait for their next attempt: at most one per partition. They are in no queue. */
export async function heldRetriesOf(
  {partitionCount, kept: {store}}: Front,
  {id, ordered}: Endpoint,
): Promise<HeldRetry[]> {
  if (!ordered) return [];
  const records = Array.from({length: partitionCount}, (_, partition) => new CursorRecord(store.bucket, id, partition));
  const found = await Promise.all(records.map((record) => record.read()));
  return found.flatMap((entry) => entry?.cursor.retry ?? []);
}

/** End of a partition's rows, where a new tail starts. */
export interface End {
  readonly partition: number;
  readonly generation: number;
  readonly generations: Generations;
  readonly end: number;
}

/** Ends of all partitions, in their order. @throws RequestFailure (503) when a partition does not answer. */
export const endsOf = ({partitionCount, reads: {asks}}: Front): Promise<End[]> =>
  Promise.all(
    Array.from({length: partitionCount}, async (_, partition) => {
      const question = {ask: 'tail', from: 0, limit: 0} as const;
      const {generation, generations, end} = await asks.partition(partition, question, ['tail']);
      return {partition, generation, generations, end};
    }),
  );

/** Ends after every event that was accepted before. @throws RequestFailure (503), also for a partition that is behind its log. */
export async function endsOfAccepted(front: Front): Promise<End[]> {
  // The answer to a live question comes once these events are folded.
  const nothing = {ask: 'history', fromMs: 0, toMs: 0, limit: 1} as const;
  const partitions = Array.from({length: front.partitionCount}, (_, partition) => partition);
  await Promise.all(partitions.map((partition) => front.reads.asks.partition(partition, nothing, ['history'])));
  return endsOf(front);
}

/** Writes the cursors of a new endpoint. One that a delivering process has written meanwhile stays. */
export async function beginAt({kept: {store}}: Front, id: string, ends: readonly End[]): Promise<void> {
  for (const {partition, generation, end} of ends)
    await new CursorRecord(store.bucket, id, partition).write({v: 1, generation, ordinal: end});
}

export async function forgetRecords({partitionCount, kept: {store}}: Front, id: string): Promise<void> {
  const names = Array.from({length: partitionCount}, (_, partition) => cursorName(id, partition));
  for (const name of [...names, healthName(id)]) await forgetRecord(store.bucket, name);
}

/** @throws RequestFailure (503) when NATS does not answer. */
export async function tried<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BucketFault || isSilence(error)) throw new RequestFailure(storeSilent);
    throw error;
  }
}
