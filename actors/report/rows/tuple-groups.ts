// Groups of the values of several properties together: what a breakdown by more than one counts.
//   TG1. With one property a group is that of its value (value-groups.ts). With more it stands for a pair: the group of the
//        properties before the last one, and that of the last one's value.
//   TG2. Rows are chosen by property: the most frequent values of each, whatever the others are. The rows of all are their
//        combinations, so that events of a row `other` are those of the values that have no row.
import type {ByteReader, ByteWriter} from '../../bytes/bytes.js';
import {each} from '../partials.js';
import {chooseGroups, kindsShown, knownGroups, type ShownGroups, ValueGroups} from './value-groups.js';

export class TupleGroups {
  /** The values of each property, in the order of the properties. */
  readonly values: readonly ValueGroups[];
  /** Each property after the first one has its pairs here. TG1 */
  private readonly pairs: readonly PairGroups[];

  constructor(propertyCount: number) {
    this.values = Array.from({length: propertyCount}, () => new ValueGroups());
    this.pairs = Array.from({length: propertyCount - 1}, () => new PairGroups());
  }

  /** The highest group + 1. */
  get count(): number {
    return this.pairs.at(-1)?.count ?? this.values[0].count;
  }

  /** Estimated bytes of memory. */
  get bytes(): number {
    return this.values.reduce((sum, {bytes}) => sum + bytes, this.pairBytes);
  }

  /** Bytes of the combinations alone, of which there may be as many as events. */
  get pairBytes(): number {
    return this.pairs.reduce((sum, {bytes}) => sum + bytes, 0);
  }

  /** The group of the properties up to `at`. `group`: that of those before it. `value`: the group of its value. */
  with(group: number, at: number, value: number): number {
    return this.pairs[at - 1].groupOf(group, value);
  }

  /** `with` for the first `count` groups of a list, which it replaces. */
  addValues(groups: Uint32Array, at: number, values: Uint32Array, count: number): void {
    const pairs = this.pairs[at - 1];
    for (let i = 0; i < count; i++) groups[i] = pairs.groupOf(groups[i], values[i]);
  }

  /** Whether all tests hold, each for the group of its property's value. */
  meets(group: number, tests: readonly ((value: number) => boolean)[]): boolean {
    let left = group;
    for (let at = this.pairs.length; at > 0; at--) {
      const {lefts, rights} = this.pairs[at - 1];
      if (!tests[at](rights[left])) return false;
      left = lefts[left];
    }
    return tests[0](left);
  }

  /** Chooses the rows of each property (chooseGroups). `totals`, `read`: by group. TG2 */
  choose(totals: ArrayLike<number>, limits: readonly number[], read?: ArrayLike<number>): ShownRows {
    const byProperty = this.byProperty(totals);
    const readOf = read && this.byProperty(read);
    return this.shown(this.values.map((groups, at) => chooseGroups(groups, byProperty[at], limits[at], readOf?.[at])));
  }

  /** The rows of values that were chosen already, over groups without any others. `texts`: of each property. */
  known(texts: readonly (readonly string[])[]): ShownRows {
    const known = this.values.map((groups, at) => knownGroups(groups, texts[at]));
    for (const [at, pairs] of this.pairs.entries()) {
      const lefts = at === 0 ? this.values[0].count : this.pairs[at - 1].count;
      for (let left = 0; left < lefts; left++)
        for (let value = 0; value < this.values[at + 1].count; value++) pairs.groupOf(left, value);
    }
    return this.shown(known);
  }

  private shown(of: readonly ShownGroups[]): ShownRows {
    let {rowOf} = of[0];
    for (const [at, {lefts, rights, count}] of this.pairs.entries()) {
      const before = rowOf;
      const own = of[at + 1];
      const rows = rowsOf(own);
      rowOf = Uint32Array.from({length: count}, (_, group) => before[lefts[group]] * rows + own.rowOf[rights[group]]);
    }
    return new ShownRows(this.values, of, rowOf);
  }

  /** Sums by the groups of each property's values. */
  private byProperty(totals: ArrayLike<number>): ArrayLike<number>[] {
    const byProperty: ArrayLike<number>[] = [];
    let left = totals;
    for (let at = this.pairs.length; at > 0; at--) {
      const {lefts, rights, count} = this.pairs[at - 1];
      const before = new Float64Array(at === 1 ? this.values[0].count : this.pairs[at - 2].count);
      const own = new Float64Array(this.values[at].count);
      for (let group = 0; group < count; group++) {
        before[lefts[group]] += left[group] ?? 0;
        own[rights[group]] += left[group] ?? 0;
      }
      byProperty[at] = own;
      left = before;
    }
    byProperty[0] = left;
    return byProperty;
  }

  /** Writes the values and their combinations, and yields between slices. */
  *write(to: ByteWriter): Generator<void, void, void> {
    for (const groups of this.values) yield* groups.write(to);
    for (const {lefts, rights, count} of this.pairs) {
      to.varint(count);
      yield* each(count, (group) => {
        to.varint(lefts[group]);
        to.varint(rights[group]);
      });
    }
  }

  /** The groups here of what `write` wrote, by the groups that they had there; yields between slices. */
  *read(from: ByteReader): Generator<void, Uint32Array, void> {
    const values: Uint32Array[] = [];
    for (const groups of this.values) values.push(yield* groups.read(from));
    let read = values[0];
    for (const [at, pairs] of this.pairs.entries()) {
      const before = read;
      const own = values[at + 1];
      const groups = new Uint32Array(from.varint());
      yield* each(groups.length, (group) => {
        const left = before[from.varint()];
        groups[group] = pairs.groupOf(left, own[from.varint()]);
      });
      read = groups;
    }
    return read;
  }
}

/** Numbers pairs of groups in the order in which they come: a hash table without objects, as each event looks one up. */
class PairGroups {
  count = 0;
  /** By the number of the pair. */
  lefts = new Uint32Array(64);
  rights = new Uint32Array(64);
  /** Number + 1 by hash, twice as many places as pairs at least; 0: none. */
  private places = new Uint32Array(128);

  get bytes(): number {
    return 2 * this.lefts.byteLength + this.places.byteLength;
  }

  groupOf(left: number, right: number): number {
    const {places, lefts, rights} = this;
    const mask = places.length - 1;
    let place = hashOf(left, right) & mask;
    for (let number = places[place]; number > 0; number = places[place]) {
      if (lefts[number - 1] === left && rights[number - 1] === right) return number - 1;
      place = (place + 1) & mask;
    }
    if (this.count === lefts.length) {
      this.grow();
      return this.groupOf(left, right);
    }
    lefts[this.count] = left;
    rights[this.count] = right;
    places[place] = ++this.count;
    return this.count - 1;
  }

  private grow(): void {
    const length = 2 * this.count;
    const {lefts, rights} = this;
    this.lefts = new Uint32Array(length);
    this.lefts.set(lefts);
    this.rights = new Uint32Array(length);
    this.rights.set(rights);
    const places = new Uint32Array(2 * length);
    const mask = places.length - 1;
    for (let number = 0; number < this.count; number++) {
      let place = hashOf(lefts[number], rights[number]) & mask;
      while (places[place] > 0) place = (place + 1) & mask;
      places[place] = number + 1;
    }
    this.places = places;
  }
}

/** Neighbouring groups fall far apart: the high bits are mixed into the low ones, which choose the place. */
function hashOf(left: number, right: number): number {
  const mixed = Math.imul(left, 0x9e3779b1) ^ Math.imul(right + 1, 0x85ebca6b);
  const hash = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Upper bound of the rows that a breakdown by one property shows. */
const rowsOf = ({top}: ShownGroups): number => top.length + kindsShown.length;

/** The rows of breakdowns: combinations of the rows of each, those of the last one side by side. */
export class ShownRows {
  /** Upper bound of the rows: those that no event has are not in the answer. */
  readonly count: number;
  /** The groups that each breakdown shows. */
  readonly of: readonly ShownGroups[];
  /** The row of each group. */
  readonly rowOf: Uint32Array;
  private readonly values: readonly ValueGroups[];

  constructor(values: readonly ValueGroups[], of: readonly ShownGroups[], rowOf: Uint32Array) {
    this.values = values;
    this.of = of;
    this.rowOf = rowOf;
    this.count = of.reduce((rows, one) => rows * rowsOf(one), 1);
  }

  /** Texts of the values with rows of their own, of each breakdown. */
  get texts(): readonly (readonly string[])[] {
    return this.of.map(({top}, at) => top.map((group) => this.values[at].text(group)));
  }

  /** Members that name a row: `"value":"pro"` or `"kind":"other","values":12`; `"by":[{…},{…}]` of several breakdowns. */
  name(row: number): string {
    const names: string[] = [];
    let left = row;
    for (let at = this.of.length - 1; at >= 0; at--) {
      const rows = rowsOf(this.of[at]);
      names.unshift(nameOf(left % rows, this.values[at], this.of[at]));
      left = Math.floor(left / rows);
    }
    return names.length === 1 ? names[0] : `"by":[${names.map((name) => `{${name}}`).join()}]`;
  }
}

function nameOf(row: number, groups: ValueGroups, {top, others}: ShownGroups): string {
  if (row < top.length) return `"value":${JSON.stringify(groups.text(top[row]))}`;
  const kind = kindsShown[row - top.length];
  return kind === 'other' ? `"kind":"other","values":${others}` : `"kind":"${kind}"`;
}

/** What the rows of an answer are broken down by: `"property":"plan"`, or `"properties":["plan","trait:country"]`. */
export const brokenBy = (names: readonly string[]): string =>
  names.length === 1 ? `"property":${JSON.stringify(names[0])}` : `"properties":${JSON.stringify(names)}`;
