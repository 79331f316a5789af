// Annotations of charts.

/** Words about a day or a moment. */
export interface AnnotationAnswer {
  readonly id: string;
  /** A date, or a moment in UTC. */
  readonly at: string;
  readonly text: string;
  readonly created_at: string;
  /** Name of the person who made it. */
  readonly created_by: string;
}

export interface AnnotationsAnswer {
  /** Annotations by their `at`, the newest first. */
  readonly annotations: readonly AnnotationAnswer[];
}
