// Changes for a reader that keeps a copy: all that came, changed or was deleted after a place.

/** A reader's progress in a partition (src/report/questions/changes.ts). All are whole numbers. */
export interface ChangesPlace {
  /** All records up to this position were told. */
  readonly generation: number;
  readonly sequence: number;
  /** The record that was told in part: its sequence, facts told, and the first user not told. All 0 without one. */
  readonly record: number;
  readonly facts: number;
  readonly user: number;
  /** Profiles of users before this index were told, of those who were there when reading began. */
  readonly users: number;
  readonly usersEnd: number;
  /** Rows before this ordinal were told. */
  readonly ordinal: number;
  /** Rows before this ordinal were there when rows of any partition were last told. */
  readonly ordinalEnd: number;
}

/** A page of all that came or changed. */
export interface ChangesQuery {
  /** Place per partition. Absent: from the beginning. */
  readonly after?: readonly ChangesPlace[];
  /** Lines. */
  readonly limit: number;
  /** Approximate bytes of the lines in an answer. */
  readonly bytesMax: number;
}

/** `old`: the changes after the place were dropped. `lost`: the log lost them, or older data was restored. */
export type PositionGone = 'old' | 'lost';

export type ChangesAnswer =
  | {
      readonly kind: 'changes';
      readonly position: string;
      readonly asOf: string;
      /** JSON texts, with a comma after each. */
      readonly lines: Uint8Array<ArrayBuffer>;
      readonly next: readonly ChangesPlace[];
      /** Whether the snapshots at `position` have more than was told. */
      readonly hasMore: boolean;
    }
  /** Changes after the place are not known (any more). */
  | {readonly kind: 'position_gone'; readonly reason: PositionGone};
