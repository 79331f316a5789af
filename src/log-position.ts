// Positions of logs as answers show them: `<partition>:<generation>.<sequence>`, one form everywhere.
//   The newest position of a partition has the highest generation, then the highest sequence: a log that lost its newest messages
//   continues from a lower sequence, in a new generation.

export interface LogPosition {
  readonly partition: number;
  readonly generation: number;
  readonly sequence: number;
}

export const positionText = ({partition, generation, sequence}: LogPosition): string =>
  `${partition}:${generation}.${sequence}`;

/** One position or several, with commas: `Log-Position`, `Report-Log-Position`. */
export const positionsPattern = /^\d+:\d+\.\d+(,\d+:\d+\.\d+)*$/;

/** A position within one partition. */
export type Place = Omit<LogPosition, 'partition'>;

export const isBefore = (a: Place, b: Place): boolean =>
  a.generation < b.generation || (a.generation === b.generation && a.sequence < b.sequence);

/** The value of `Log-Position` and `Report-Log-Position`, by partition. */
export function readPositions(header: string): Map<number, Place> {
  return new Map(
    header.split(',').map((text) => {
      const [partition, generation, sequence] = text.split(/[:.]/).map(Number);
      return [partition!, {generation: generation!, sequence: sequence!}];
    }),
  );
}

/** Whether a report at `report` includes the writes at `writes`. */
export const covers = (report: ReadonlyMap<number, Place>, writes: ReadonlyMap<number, Place>): boolean =>
  [...writes].every(([partition, write]) => {
    const place = report.get(partition);
    return place !== undefined && !isBefore(place, write);
  });
