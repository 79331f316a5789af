// Questions to the partitions of a thread (src/asks.ts), as they come over NATS.
import type {Msg} from 'nats';
import {askPartitionSubject, type PartitionAnswer, type PartitionQuestion} from '../asks.js';
import type {ThreadVitals} from '../thread-vitals.js';
import type {Ground} from './ground.js';
import {LiveReads} from './live-reads.js';
import {measurePartition} from './measuring.js';
import type {Runner} from './runner.js';

type Reply = (question: PartitionQuestion) => Promise<PartitionAnswer>;

export function answerQuestions(ground: Ground, runner: Runner, vitals: ThreadVitals): void {
  const reads = new LiveReads(runner);
  listen(ground, runner, (question) =>
    question.ask === 'measures' ? measures(reads, vitals) : reads.answer(question),
  );
}

/**
 * As long as a partition catches up on behalf of its owner: how far it is. Nothing waits here: a question under way when this
 * thread ends would go down with it, and `/readyz`, which asks all partitions, would wait for it in vain.
 */
export function answerMeanwhile(ground: Ground, runner: Runner, vitals: ThreadVitals): void {
  listen(ground, runner, async (question) => {
    if (question.ask === 'status') return statusBehind(runner);
    if (question.ask !== 'measures') return {kind: 'unavailable', message: 'the partition is behind its log'};
    const partition = measurePartition(runner, {isCaughtUp: false, behind: null, waitedMs: 0});
    return {kind: 'measures', partition, thread: vitals.measure()};
  });
}

function statusBehind({phase, published, setup: {partition, damage}}: Runner): PartitionAnswer {
  return {
    kind: 'status',
    partition: partition.partition,
    phase,
    appliedSequence: partition.appliedSequence,
    published,
    lag: 'it is behind its log',
    damagedParts: damage.countOf(partition.partition),
  };
}

async function measures(reads: LiveReads, vitals: ThreadVitals): Promise<PartitionAnswer> {
  return {kind: 'measures', partition: await reads.measures(), thread: vitals.measure()};
}

function listen(ground: Ground, {setup: {partition}}: Runner, reply: Reply): void {
  ground.nc.subscribe(askPartitionSubject(partition.partition), {
    callback: (error, message) => {
      if (error === null) void answer(ground, message, reply);
    },
  });
}

/** A question that is no JSON, or whose asker cannot be reached any more, harms nobody else. */
async function answer({damage, log}: Ground, message: Msg, reply: Reply): Promise<void> {
  try {
    const answering = reply(message.json<PartitionQuestion>());
    const given = await answering.catch((error: Error): PartitionAnswer => {
      if (!damage.note(error)) log.error({err: error}, 'a live question failed');
      return {kind: 'unavailable', message: 'a part of the answer could not be read'};
    });
    message.respond(JSON.stringify(given));
  } catch (error) {
    log.error({err: error}, 'a question was not answered');
  }
}
