// Positions of logs as answers show them: `<partition>:<generation>.<sequence>`, one form everywhere.
//   The newest of a partition is the one of the highest generation, then of the highest sequence: a log that lost its newest
//   messages counts on from a lower sequence, in a generation of its own.

export interface LogPosition {
  readonly partition: number;
  readonly generation: number;
  readonly sequence: number;
}

export const positionText = ({partition, generation, sequence}: LogPosition): string =>
  `${partition}:${generation}.${sequence}`;

/** In one partition. */
export type Place = Omit<LogPosition, 'partition'>;

export const isBefore = (a: Place, b: Place): boolean =>
  a.generation < b.generation || (a.generation === b.generation && a.sequence < b.sequence);

/** What `Log-Position` and `Report-Log-Position` say, by partition. */
export function readPositions(header: string): Map<number, Place> {
  return new Map(
    header.split(',').map((text) => {
      const [partition, generation, sequence] = text.split(/[:.]/).map(Number);
      return [partition!, {generation: generation!, sequence: sequence!}];
    }),
  );
}

/** Whether a report that stands at `report` includes the writes at `writes`. */
export const covers = (report: ReadonlyMap<number, Place>, writes: ReadonlyMap<number, Place>): boolean =>
  [...writes].every(([partition, write]) => {
    const place = report.get(partition);
    return place !== undefined && !isBefore(place, write);
  });
