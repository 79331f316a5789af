// Titles of people, beside their ids on the pages.

/** The traits that titles come from: the first that is set. */
export interface TitleTraits {
  readonly traits: readonly string[];
}

/** Titles by id. Absent: nobody has this id, or the person has none of the traits. */
export interface TitlesAnswer {
  readonly users: Readonly<Record<string, string>>;
  readonly anonymous: Readonly<Record<string, string>>;
}
