// The values of a property over all partitions of one answer, as numbers: the rows of a breakdown.
//   VG1. Values with the same text are one value. Missing, null, and what is no scalar are kinds of their own, which no text is.
import {type PropertyValue, type PropertyValues, textOf} from './property-values.js';

/** Numbers of the kinds; values follow. */
export const missingGroup = 0;
export const nullGroup = 1;
export const notScalarGroup = 2;
export const firstValueGroup = 3;

export class ValueGroups {
  private readonly groups = new Map<string, number>();
  private readonly texts: string[] = [];
  private chars = 0;

  /** What it holds, about: a text takes up to two bytes a character, and its places. */
  get bytes(): number {
    return 2 * this.chars + 64 * this.texts.length + 32 * this.groupsOfNumbers.size;
  }
  /** Groups of numbers, which have a text only when they come first. */
  private readonly groupsOfNumbers = new Map<number, number>();

  /** One more than the highest group. */
  get count(): number {
    return firstValueGroup + this.texts.length;
  }

  groupOf(value: PropertyValue): number {
    if (value === undefined) return missingGroup;
    if (value === null) return nullGroup;
    if (typeof value === 'number') return this.groupOfNumber(value);
    const text = textOf(value);
    return text === undefined ? notScalarGroup : this.groupOfText(text);
  }

  private groupOfNumber(value: number): number {
    const known = this.groupsOfNumbers.get(value);
    if (known !== undefined) return known;
    const group = this.groupOfText(String(value));
    this.groupsOfNumbers.set(value, group);
    return group;
  }

  private groupOfText(text: string): number {
    const known = this.groups.get(text);
    if (known !== undefined) return known;
    const group = this.count;
    this.groups.set(text, group);
    this.texts.push(text);
    this.chars += text.length;
    return group;
  }

  /** The text of a group that is a value. */
  text(group: number): string {
    return this.texts[group - firstValueGroup];
  }
}

/** The rows that a breakdown shows, and in which of them each group is. */
export interface ShownGroups {
  /** Groups of the values that have rows of their own, the most frequent first. */
  readonly top: readonly number[];
  /** The row of each group: the top values, then `other`, `missing`, `null`, `not_scalar`. */
  readonly rowOf: Uint32Array;
  /** Values in the row `other`. */
  readonly others: number;
}

export const kindsShown = ['other', 'missing', 'null', 'not_scalar'] as const;

/** Chooses the most frequent values; of equal counts the one first whose text has the smaller UTF-8 bytes. */
export function chooseGroups(groups: ValueGroups, totals: ArrayLike<number>, limit: number): ShownGroups {
  const values: number[] = [];
  for (let group = firstValueGroup; group < groups.count; group++) if ((totals[group] ?? 0) > 0) values.push(group);
  values.sort((a, b) => totals[b] - totals[a] || compareTexts(groups.text(a), groups.text(b)));
  const top = values.slice(0, limit);
  const rowOf = new Uint32Array(groups.count).fill(top.length);
  rowOf[missingGroup] = top.length + 1;
  rowOf[nullGroup] = top.length + 2;
  rowOf[notScalarGroup] = top.length + 3;
  top.forEach((group, row) => {
    rowOf[group] = row;
  });
  return {top, rowOf, others: values.length - top.length};
}

/** Negative when the UTF-8 bytes of `a` are less. */
export function compareTexts(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let at = 0; at < end; at++) {
    if (a.charCodeAt(at) !== b.charCodeAt(at)) return utf8Rank(a.charCodeAt(at)) - utf8Rank(b.charCodeAt(at));
  }
  return a.length - b.length;
}

/** Code units in the order of UTF-8: surrogates stand for code points above all others. */
const utf8Rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

/** The groups of one chunk's keys, looked up once for each. */
export class KeyGroups {
  private readonly groups: ValueGroups;
  /** One more than the group; 0: not looked up. */
  private places = new Uint32Array(64);

  constructor(groups: ValueGroups) {
    this.groups = groups;
  }

  /** Turns to a chunk. */
  open({keyCount}: PropertyValues): void {
    if (this.places.length < keyCount) this.places = new Uint32Array(keyCount * 2);
    else this.places.fill(0, 0, keyCount);
  }

  of(values: PropertyValues, key: number): number {
    if (this.places[key] === 0) this.places[key] = this.groups.groupOf(values.valueOf(key)) + 1;
    return this.places[key] - 1;
  }
}
