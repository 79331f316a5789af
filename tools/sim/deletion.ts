// A deletion of a known user as an edge carries it out: where its devices are first, in its own partition once nothing of them is
// on its way there.
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {writeErase} from '../../actors/log/entries.js';
import type {PartitionAnswer, PartitionQuestion} from '../../src/asks.js';
import {partitionOfUser} from '../../src/edge/query/user-partition.js';
import type {CommitWaiter} from '../../src/ingest/log-message.js';
import type {SimEdge} from './edge.js';
import type {Timeline} from './timeline.js';

/** How often an edge asks whether what is on its way is appended. */
const looksMax = 4;

type Ask = Extract<PartitionQuestion, {ask: 'devices'}>;
/** Undefined: nobody answers. Resolves as code of the edge. */
export type AskPartition = (edge: SimEdge, partition: number, question: Ask) => Promise<PartitionAnswer | undefined>;

export interface Deleted {
  readonly userId: string;
  readonly deletion: string;
}

/** Whether all of it is stored. Never resolves when the edge dies meanwhile. */
export async function eraseEverywhere(
  timeline: Timeline,
  edge: SimEdge,
  ask: AskPartition,
  {userId, deletion}: Deleted,
): Promise<boolean> {
  const erase = (partition: number) => timeline.as(edge.process, () => append(edge, partition, {userId, deletion}));
  const partitions = Array.from({length: edge.partitionCount}, (_, partition) => partition);
  const answers = await Promise.all(partitions.map((partition) => ask(edge, partition, {ask: 'devices', userId})));
  if (!answers.every(isOfDevices)) return false;
  const holders = partitions.filter((partition) => answers[partition]?.hasAny === true);
  const erased = await Promise.all(holders.map(erase));
  if (erased.includes(false)) return false;
  const appended = await Promise.all(holders.map((partition) => isAppended(edge, ask, partition, userId)));
  if (appended.includes(false)) return false;
  return erase(partitionOfUser({kind: 'user', id: userId}, edge.partitionCount));
}

async function isAppended(edge: SimEdge, ask: AskPartition, partition: number, userId: string): Promise<boolean> {
  for (let look = 1; look <= looksMax; look++) {
    const answer = await ask(edge, partition, {ask: 'devices', userId, whenAppended: true});
    if (isOfDevices(answer)) return true;
  }
  return false;
}

const isOfDevices = (answer: PartitionAnswer | undefined): answer is Extract<PartitionAnswer, {kind: 'devices'}> =>
  answer?.kind === 'devices';

function append(edge: SimEdge, partition: number, {userId, deletion}: Deleted): Promise<boolean> {
  return new Promise((resolve) => {
    const writer = new ByteWriter(1_024);
    writeErase(writer, 'u', userId, deletion, Date.now());
    const waiter: CommitWaiter = {settled: ({outcome}) => resolve(outcome === 'stored')};
    if (edge.publisher.append(partition, writer.bytes, 0, writer.position, waiter) === undefined) resolve(false);
    edge.keepTicking();
  });
}
