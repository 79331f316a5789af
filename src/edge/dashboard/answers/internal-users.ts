// The segment of internal and test users, a setting of the pages.

export interface InternalUsers {
  /** Null: there is none. */
  readonly segment: string | null;
}
