// Boards.

/** Reports that everybody sees side by side. */
export interface BoardAnswer {
  readonly id: string;
  readonly name: string;
  /** Sort key of the list, ascending. */
  readonly place: number;
  /** Addresses below `/dashboard`, in the order of the board. */
  readonly pins: readonly string[];
  /** Number of changes. A change is of the version that it names as If-Match. */
  readonly version: number;
  /** Null: nobody has changed it yet. */
  readonly changed_at: string | null;
  /** Name of the person who changed it last. */
  readonly changed_by: string | null;
}

export interface BoardsAnswer {
  /** Boards in their order, at least one. Overview shows the first. */
  readonly boards: readonly BoardAnswer[];
}

/** Body of a 412: the board as another person changed it. */
export interface BoardChangedMeanwhileAnswer {
  readonly board: BoardAnswer;
}
