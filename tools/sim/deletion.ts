// A deletion of a known user as an edge begins it: in the first partition with devices of it, or in its own.
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {writeErase} from '../../actors/log/entries.js';
import type {PartitionAnswer, PartitionQuestion} from '../../src/asks/partition.js';
import {partitionOfUser} from '../../src/edge/query/user-partition.js';
import type {CommitWaiter} from '../../src/ingest/log-message.js';
import type {SimEdge} from './edge.js';
import type {Timeline} from './timeline.js';

type Ask = Extract<PartitionQuestion, {ask: 'devices'}>;
/** Undefined: nobody answers. Resolves as code of the edge. */
export type AskPartition = (edge: SimEdge, partition: number, question: Ask) => Promise<PartitionAnswer | undefined>;

export interface Deleted {
  readonly userId: string;
  readonly deletion: string;
}

/** Whether it is stored, from where it goes on by itself. Never resolves when the edge dies meanwhile. */
export async function eraseEverywhere(
  timeline: Timeline,
  edge: SimEdge,
  ask: AskPartition,
  {userId, deletion}: Deleted,
): Promise<boolean> {
  const partitions = Array.from({length: edge.partitionCount}, (_, partition) => partition);
  const answers = await Promise.all(partitions.map((partition) => ask(edge, partition, {ask: 'devices', userId})));
  if (!answers.every(isOfDevices)) return false;
  const home = partitionOfUser({kind: 'user', id: userId}, edge.partitionCount);
  const devicesAt = partitions.filter((partition) => answers[partition]?.hasAny === true);
  const elsewhere = devicesAt.filter((partition) => partition !== home);
  const [first, ...onward] = devicesAt.includes(home) ? [...elsewhere, home, home] : [...elsewhere, home];
  return timeline.as(edge.process, () => append(edge, first as number, onward, {userId, deletion}));
}

const isOfDevices = (answer: PartitionAnswer | undefined): answer is Extract<PartitionAnswer, {kind: 'devices'}> =>
  answer?.kind === 'devices';

function append(
  edge: SimEdge,
  partition: number,
  onward: readonly number[],
  {userId, deletion}: Deleted,
): Promise<boolean> {
  return new Promise((resolve) => {
    const writer = new ByteWriter(1_024);
    writeErase(writer, 'u', userId, deletion, Date.now(), onward);
    const waiter: CommitWaiter = {settled: ({outcome}) => resolve(outcome === 'stored')};
    if (edge.publisher.append(partition, writer.bytes, 0, writer.position, waiter) === undefined) resolve(false);
    edge.keepTicking();
  });
}
