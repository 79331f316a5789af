// The answers to one question, at one position of the log: numbers that stand side by side count the same events.
//   OP1. Reports that are of older snapshots than another ask for those of that one.
//   OP2. The service holds few snapshots, for a short time. Where it does not hold them any more, all are asked again, for the newest.
//   OP3. After some rounds the answers of before stay, if they are whole. Otherwise those that came are answered, and who puts two of
//        them into one row looks at their positions.
import {isNewer} from './freshness.js';

const roundsMax = 4;

interface Reads<Report> {
  /** @param at position of the snapshots that it asks for. @returns what it was given where the service does not hold them. */
  readonly read: (before: Report, at?: string) => Promise<Report>;
  /** Empty for what has no answer to this question, or none of a position. */
  readonly positionOf: (report: Report) => string;
  readonly isOver: () => boolean;
  /** Notes a position that an answer is of. @returns the newest that is known. */
  readonly note: (position: string) => string;
}

/** `at`: position that other reports are of. */
export async function atOnePosition<Report>(
  before: readonly Report[],
  {read, positionOf, isOver, note}: Reads<Report>,
  at?: string,
): Promise<readonly Report[]> {
  let asked = at;
  for (let round = 1; ; round++) {
    const first = await Promise.all(before.map((one) => read(one, asked)));
    const newest = first.map(positionOf).reduce((_, position) => note(position), note(''));
    const all = await Promise.all(
      first.map((one) => {
        const own = positionOf(one);
        return isOver() || own === '' || !isNewer(newest, own) ? one : read(one, newest); // OP1
      }),
    );
    if (isOver() || areOfOne(all.map(positionOf))) return all;
    const known = before.map(positionOf);
    if (round === roundsMax) return areOfOne(known) && !known.includes('') ? before : all; // OP3
    asked = undefined; // OP2
  }
}

const areOfOne = (positions: readonly string[]): boolean => new Set(positions.filter((one) => one !== '')).size <= 1;
