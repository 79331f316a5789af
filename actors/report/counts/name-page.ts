// One page of the names of all partitions: most frequent first, ties by name.
//   NP1. At most `pagesKept` pages of names are held while the page is chosen.

/** Place of a name in the order of the list. */
export interface CountedName {
  readonly count: number;
  readonly name: string;
}

const pagesKept = 8;

/** Compares places. Names compare by UTF-16 code units, as in JavaScript. */
export const compareNames = (a: CountedName, b: CountedName): number =>
  b.count - a.count || (a.name < b.name ? -1 : Number(a.name > b.name));

export class NamePage<Place extends CountedName = CountedName> {
  private held: Place[] = [];
  private readonly limit: number;
  private readonly after: CountedName | undefined;

  /** Names up to `after` were on earlier pages. */
  constructor(limit: number, after?: CountedName) {
    this.limit = limit;
    this.after = after;
  }

  add(place: Place): void {
    if (this.after !== undefined && compareNames(place, this.after) <= 0) return;
    this.held.push(place);
    if (this.held.length >= pagesKept * (this.limit + 1)) this.cut(); // NP1
  }

  /** The page; `hasMore`: more names follow. */
  finish(): {names: readonly Place[]; hasMore: boolean} {
    this.cut();
    return {names: this.held.slice(0, this.limit), hasMore: this.held.length > this.limit};
  }

  /** Keeps one name more than the page shows: it tells that names follow. */
  private cut(): void {
    this.held = this.held.sort(compareNames).slice(0, this.limit + 1);
  }
}
