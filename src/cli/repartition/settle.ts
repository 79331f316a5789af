// Lets the partitions and the deliveries of a stopped service finish what they have begun: entries that no snapshot has, users on
// their way to another partition, deletions, messages to webhooks.

import {setTimeout as pause} from 'node:timers/promises';
import type {JetStreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import type {PartitionAnswer, PartitionQuestion} from '../../asks/partition.js';
import {askPartitionSubject} from '../../asks/subjects.js';
import {monotonicMs} from '../../clock.js';
import type {Config} from '../../config.js';
import {pack, unpack} from '../../nats/packed.js';
import type {Deployment} from '../../nats/topology.js';
import {planThreads} from '../../thread-plan.js';
import {startDeliverThread, startPartitionThread} from '../../threads.js';
import type {TailPlace} from '../../webhooks/heads.js';
import type {NatsAddress} from '../../worker-messages.js';
import {RepartitionFault} from './repartition-fault.js';
import {waitingFor} from './webhooks.js';

const lookMs = 250;
/** A deletion with a large scrub, or a join of many users, takes some seconds. */
const restMsMax = 300_000;
/** A receiver that does not answer is asked again after a minute at the latest. */
const deliverMsMax = 20_000;
const answerMsMax = 15_000;

interface Ground {
  readonly config: Config;
  readonly address: NatsAddress;
  readonly nc: NatsConnection;
  readonly jsm: JetStreamManager;
  readonly deployment: Deployment;
}

export async function settle({config, address, nc, jsm, deployment}: Ground): Promise<void> {
  const {partitions, createdMs} = deployment;
  const all = [...Array(partitions).keys()];
  const roles = ['partition', 'deliver'] as const;
  const plan = planThreads({...config, roles, partitions, logLevel: 'error'}, address, all, createdMs);
  let fail = (_: Error): void => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined); // It is awaited beside each step.
  const fatal = (line: string, cause?: Error): never => {
    const fault = new RepartitionFault(`the partitions do not start: ${line}.`, {cause});
    fail(fault);
    throw fault;
  };
  const folding = plan.folding.map((one) => startPartitionThread(one, fatal, () => undefined));
  await Promise.race([failed, Promise.all(folding.map(({ready}) => ready))]);
  const deliver = plan.deliver && startDeliverThread(plan.deliver, fatal);
  await Promise.race([failed, untilAtRest(nc, jsm, all)]);
  await Promise.race([failed, deliver?.drain()]);
  await Promise.race([failed, Promise.all(folding.map((thread) => thread.drain()))]);
}

/** Resolves when the partitions are at rest, and nothing waits for a webhook whose receiver answers. */
async function untilAtRest(nc: NatsConnection, jsm: JetStreamManager, partitions: readonly number[]): Promise<void> {
  const startMs = monotonicMs();
  let restedMs: number | undefined;
  for (;;) {
    const unrest = await unrestIn(nc, partitions);
    if (unrest === undefined) {
      restedMs ??= monotonicMs();
      const waiting = await waitingFor(nc, jsm, await endsOf(nc, partitions));
      if (waiting.size === 0 || monotonicMs() - restedMs > deliverMsMax) return;
    } else if (monotonicMs() - startMs > restMsMax) throw new RepartitionFault(`${unrest}.`);
    await pause(lookMs);
  }
}

async function ask(nc: NatsConnection, partition: number, question: PartitionQuestion): Promise<PartitionAnswer> {
  const {data} = await nc.request(askPartitionSubject(partition), pack(question), {timeout: answerMsMax});
  return unpack<PartitionAnswer>(data);
}

/** What is under way; undefined: nothing. */
async function unrestIn(nc: NatsConnection, partitions: readonly number[]): Promise<string | undefined> {
  for (const number of partitions) {
    const answer = await ask(nc, number, {ask: 'measures'});
    if (answer.kind !== 'measures') return `partition ${number} does not answer`;
    const {lagMessages, moves, deletions, alarms} = answer.partition;
    if (alarms.includes('standing_still')) throw new RepartitionFault(`partition ${number} stands still: see its log.`);
    if (lagMessages !== 0) return `partition ${number} does not fold its log`;
    if (moves.candidates + moves.pending > 0) return `users stay on their way from partition ${number} to another one`;
    if (deletions.pending > 0) return `a deletion in partition ${number} does not end`;
  }
  return undefined;
}

/** Where the rows of each partition end. */
async function endsOf(nc: NatsConnection, partitions: readonly number[]): Promise<TailPlace[]> {
  const ends: TailPlace[] = [];
  for (const number of partitions) {
    const answer = await ask(nc, number, {ask: 'tail', from: 0, limit: 0});
    ends.push(
      answer.kind === 'tail' ? {generation: answer.generation, ordinal: answer.end} : {generation: 0, ordinal: 0},
    );
  }
  return ends;
}
