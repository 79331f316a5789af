// Positions of logs as answers show them: `<partition>:<generation>.<sequence>`, one form everywhere.
//   The newest position of a partition has the highest generation, then the highest sequence: a log that lost its newest messages
//   continues from a lower sequence, in a new generation.

interface LogPosition {
  readonly partition: number;
  readonly generation: number;
  readonly sequence: number;
}

export const positionText = ({partition, generation, sequence}: LogPosition): string =>
  `${partition}:${generation}.${sequence}`;

/** One position or several, with commas: `Log-Position`, `Report-Log-Position`. */
export const positionsPattern = /^\d{1,9}:\d{1,15}\.\d{1,15}(,\d{1,9}:\d{1,15}\.\d{1,15})*$/;

/** A position within one partition. */
export type Place = Omit<LogPosition, 'partition'>;

export const isBefore = (a: Place, b: Place): boolean =>
  a.generation < b.generation || (a.generation === b.generation && a.sequence < b.sequence);

/** The value of `Log-Position` and `Report-Log-Position` by partition: the newest one of each. */
export function readPositions(header: string): Map<number, Place> {
  const newest = new Map<number, Place>();
  for (const text of header.split(',')) {
    const [partition, generation, sequence] = text.split(/[:.]/).map(Number) as [number, number, number];
    const known = newest.get(partition);
    const place = {generation, sequence};
    if (known === undefined || isBefore(known, place)) newest.set(partition, place);
  }
  return newest;
}

/** Whether a report at `report` includes the writes at `writes`. */
export const covers = (report: ReadonlyMap<number, Place>, writes: ReadonlyMap<number, Place>): boolean =>
  lackingIn(report, writes).length === 0;

/** Partitions of writes that a report at `report` does not include. */
export const lackingIn = (report: ReadonlyMap<number, Place>, writes: ReadonlyMap<number, Place>): number[] =>
  [...writes.keys()].filter((partition) => {
    const place = report.get(partition);
    return place === undefined || isBefore(place, writes.get(partition)!);
  });
