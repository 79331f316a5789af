// The anonymous users that a known user is (actors/identity): they may be in any partition.
import type {PartitionAnswer} from '../../asks/partition.js';
import type {Asks} from './asks.js';

type Devices = Extract<PartitionAnswer, {kind: 'devices'}>;

/** Devices by partition. @throws RequestFailure (503) when a partition does not answer. */
export function devicesOf(asks: Asks, partitionCount: number, userId: string): Promise<Devices[]> {
  const partitions = Array.from({length: partitionCount}, (_, partition) => partition);
  return Promise.all(partitions.map((partition) => asks.partition(partition, {ask: 'devices', userId}, ['devices'])));
}
