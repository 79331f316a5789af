// Deletions as an edge begins them: of a known user in the first partition with devices of it, or in its own; of all events of a
// name in every partition, one after the other.
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {partitionOf} from '../../actors/bytes/hash.js';
import {type KeyKind, nameKey, writeErase} from '../../actors/log/entries.js';
import type {PartitionAnswer, PartitionQuestion} from '../../src/asks/partition.js';
import {partitionOfUser} from '../../src/edge/query/user-partition.js';
import type {CommitWaiter} from '../../src/ingest/log-message.js';
import type {SimEdge} from './edge.js';
import type {Timeline} from './timeline.js';

type Ask = Extract<PartitionQuestion, {ask: 'devices'}>;
/** Undefined: nobody answers. Resolves as code of the edge. */
export type AskPartition = (edge: SimEdge, partition: number, question: Ask) => Promise<PartitionAnswer | undefined>;

export interface Deleted {
  /** Known user, or name of events. */
  readonly id: string;
  readonly deletion: string;
}

/** Whether it is stored, from where it goes on by itself. Never resolves when the edge dies meanwhile. */
export async function eraseEverywhere(
  timeline: Timeline,
  edge: SimEdge,
  ask: AskPartition,
  {id: userId, deletion}: Deleted,
): Promise<boolean> {
  const partitions = Array.from({length: edge.partitionCount}, (_, partition) => partition);
  const answers = await Promise.all(partitions.map((partition) => ask(edge, partition, {ask: 'devices', userId})));
  if (!answers.every(isOfDevices)) return false;
  const home = partitionOfUser({kind: 'user', id: userId}, edge.partitionCount);
  const devicesAt = partitions.filter((partition) => answers[partition]?.hasAny === true);
  const elsewhere = devicesAt.filter((partition) => partition !== home);
  const [first, ...onward] = devicesAt.includes(home) ? [...elsewhere, home, home] : [...elsewhere, home];
  return timeline.as(edge.process, () => append(edge, first as number, onward, ['u', userId], deletion));
}

/** Whether the deletion of a name is stored. Never resolves when the edge dies meanwhile. */
export function eraseName(timeline: Timeline, edge: SimEdge, {id: name, deletion}: Deleted): Promise<boolean> {
  const key = nameKey(name);
  const home = partitionOf(key, 0, key.length, edge.partitionCount);
  const others = Array.from({length: edge.partitionCount}, (_, partition) => partition).filter((at) => at !== home);
  const [first, ...onward] = [...others, home];
  return timeline.as(edge.process, () => append(edge, first as number, onward, ['n', name], deletion));
}

const isOfDevices = (answer: PartitionAnswer | undefined): answer is Extract<PartitionAnswer, {kind: 'devices'}> =>
  answer?.kind === 'devices';

function append(
  edge: SimEdge,
  partition: number,
  onward: readonly number[],
  key: readonly [KeyKind, string],
  deletion: string,
): Promise<boolean> {
  return new Promise((resolve) => {
    const writer = new ByteWriter(1_024);
    writeErase(writer, ...key, deletion, Date.now(), onward);
    const waiter: CommitWaiter = {settled: ({outcome}) => resolve(outcome === 'stored')};
    if (edge.publisher.append(partition, writer.bytes, 0, writer.position, waiter) === undefined) resolve(false);
    edge.keepTicking();
  });
}
