// The name that a client probably meant when it asked for one that does not exist.
//   NN1. The distance of two names is the number of edits from one to the other: a character that is inserted, deleted or
//        replaced, or two neighbours that are swapped ("optimal string alignment"). Case does not count.
//   NN2. A longer name may have more edits. A name beyond that is not suggested: a wrong suggestion is worse than none.
//   NN3. Among equally near names the first by UTF-16 code units wins, so partitions and their order do not matter.

/** Name lengths from which one, two or three edits are allowed. NN2 */
const editsFrom = [3, 6, 12];

export class NearName {
  private readonly asked: string;
  /** Edits to the nearest name so far; at first the most that are allowed. */
  private edits: number;
  /** Edits from the first i characters of a name to the first j of the asked one, for the newest three i. */
  private readonly rows: readonly [number[], number[], number[]] = [[], [], []];
  /** The nearest name so far. */
  found: string | undefined;

  constructor(asked: string) {
    this.asked = asked.toLowerCase();
    this.edits = editsFrom.filter((length) => asked.length >= length).length;
  }

  offer(name: string): void {
    if (Math.abs(name.length - this.asked.length) > this.edits) return; // Excludes most names.
    const edits = this.editsFrom(name.toLowerCase());
    if (edits > this.edits) return;
    if (edits < this.edits || this.found === undefined || name < this.found) this.found = name;
    this.edits = edits;
  }

  /** Number of edits; some number above `this.edits` when there are more. NN1 */
  private editsFrom(name: string): number {
    const {asked, edits: max} = this;
    let [before, last, row] = this.rows;
    for (let j = 0; j <= asked.length; j++) last[j] = j;
    let leastInLast = 0;
    for (let i = 1; i <= name.length; i++) {
      row[0] = i;
      let least = i;
      for (let j = 1; j <= asked.length; j++) {
        const isSame = name[i - 1] === asked[j - 1];
        let edits = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1));
        if (i > 1 && j > 1 && name[i - 1] === asked[j - 2] && name[i - 2] === asked[j - 1])
          edits = Math.min(edits, before[j - 2]! + 1);
        row[j] = edits;
        least = Math.min(least, edits);
      }
      // Later rows derive from this one, or by a swap from the one before.
      if (least > max && leastInLast >= max) return max + 1;
      leastInLast = least;
      [before, last, row] = [last, row, before];
    }
    return last[asked.length]!;
  }
}
