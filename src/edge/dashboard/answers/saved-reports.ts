// Saved reports.

/** A question of a report's page, saved under a name. */
export interface SavedReportAnswer {
  readonly id: string;
  readonly name: string;
  /** Path of the page below `/dashboard`, such as `/trends`. */
  readonly page: string;
  /** Query of its address: `?event=signup&range=30d`, or empty. */
  readonly search: string;
  /** Number of changes of name or question, from 1 on. A change names the version that it is of. */
  readonly version: number;
  /** Sort key of the list, ascending. */
  readonly place: number;
  readonly created_at: string;
  readonly changed_at: string;
  /** Name of the person who changed it last. */
  readonly changed_by: string;
}

export interface SavedReportsAnswer {
  readonly reports: readonly SavedReportAnswer[];
}

/** Body of a 412: the report as another person changed it. */
export interface ChangedMeanwhileAnswer {
  readonly report: SavedReportAnswer;
}
