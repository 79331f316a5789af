// Paths: the events of users after, or before, an event (docs/api/reports/paths.md).
//   PA1. Each user has one path: from the first event of the name on, or back from the last one. Step 1 is that event. Each
//        further step is the user's next event in that direction, whatever its name; equal events in a row are steps of their
//        own.
//   PA2. A path ends where the user has no further event in the range.
//   PA3. An edge is a pair of events at two steps; the most frequent ones are shown. All numbers are exact: an event's users
//        are all who had it at that step, and edges that are not shown are summed up.
import type {ByteReader, ByteWriter} from '../../bytes/bytes.js';
import {each, type PartialSum} from '../partials.js';
import {compareTexts} from '../rows/value-groups.js';

export type PathDirection = 'after' | 'before';

/** The end of a path, in place of a name. */
const end = 0;
/** Upper bound of the number of names. */
const pairBase = 2 ** 26;
/** Estimated bytes of one map entry. */
const entryBytes = 64;

/** An event of a step, or what stands in its place in an answer. */
export type PathNode = {readonly event: string} | {readonly kind: 'end' | 'other'};

/** A number of an answer: the users of a node, or of the edge from one to the next. Steps from 1. */
export interface PathPoint {
  readonly step: number;
  readonly from: PathNode;
  readonly to?: PathNode | undefined;
}

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly users: number;
}

export class PathCounts implements PartialSum {
  private readonly depth: number;
  /** Numbers of all names, from 1 on. */
  private readonly numbers = new Map<string, number>();
  private readonly texts: string[] = [''];
  private readonly first: number;
  /** Number of users by event of each step, and by pair of events of each step and the next. */
  private readonly events: readonly Map<number, number>[];
  private readonly pairs: readonly Map<number, number>[];
  private entries = 0;

  constructor(event: string, depth: number) {
    this.depth = depth;
    this.first = this.numberOf(event);
    this.events = Array.from({length: depth}, () => new Map());
    this.pairs = Array.from({length: depth - 1}, () => new Map());
  }

  /** The number of a name, the same for all partitions. */
  numberOf(name: string): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    const number = this.texts.push(name) - 1;
    this.numbers.set(name, number);
    return number;
  }

  /** Estimated bytes of memory. */
  get bytes(): number {
    return this.entries * entryBytes;
  }

  /** Adds one user's path: the first `length` names of `numbers`, at most as many as there are steps. PA1 */
  addPath(numbers: Uint32Array, length: number): void {
    const {depth, events, pairs} = this;
    for (let step = 0; step < length; step++) {
      this.count(events[step], numbers[step]);
      if (step + 1 === depth) return;
      const following = step + 1 < length ? numbers[step + 1] : end; // PA2
      this.count(pairs[step], numbers[step] * pairBase + following);
      if (following === end) this.count(events[step + 1], end);
    }
  }

  private count(users: Map<number, number>, key: number, more = 1): void {
    const known = users.get(key);
    if (known === undefined) this.entries += 1;
    users.set(key, (known ?? 0) + more);
  }

  *write(to: ByteWriter): Generator<void, void, void> {
    const {texts} = this;
    to.varint(texts.length);
    yield* each(texts.length, (number) => to.string(texts[number]));
    for (const users of [...this.events, ...this.pairs]) {
      const entries = [...users];
      to.varint(entries.length);
      yield* each(entries.length, (i) => {
        to.varint(entries[i][0]);
        to.varint(entries[i][1]);
      });
    }
  }

  *add(from: ByteReader): Generator<void, void, void> {
    const numbers = new Uint32Array(from.varint());
    yield* each(numbers.length, (number) => {
      const text = from.string();
      numbers[number] = number === end ? end : this.numberOf(text);
    });
    const pairOf = (pair: number): number => numbers[Math.floor(pair / pairBase)] * pairBase + numbers[pair % pairBase];
    for (const users of this.events)
      yield* each(from.varint(), () => this.count(users, numbers[from.varint()], from.varint()));
    for (const users of this.pairs)
      yield* each(from.varint(), () => this.count(users, pairOf(from.varint()), from.varint()));
  }

  /** `"depth":…,"steps":[…],"edges":[…]` with the `edgesMax` most frequent edges of each step. */
  fields(edgesMax: number): string {
    const ranked = this.pairs.map((pairs) => this.rank(pairs));
    const shown = ranked.map((edges) => edges.slice(0, edgesMax));
    const steps = this.events.map((_, step) => this.stepText(step, this.shownEvents(step, shown)));
    const edges = ranked.flatMap((all, step) => this.edgeTexts(step, shown[step], all.slice(edgesMax)));
    return `"depth":${this.depth},"steps":[${steps.join()}],"edges":[${edges.join()}]`;
  }

  /** Events of a step that have numbers of their own: those of its shown edges. */
  private shownEvents(step: number, edges: readonly (readonly Edge[])[]): ReadonlySet<number> {
    const [before, after] = [edges[step - 1] ?? [], edges[step] ?? []];
    const shown = new Set([...before.map(({to}) => to), ...after.map(({from}) => from)]);
    if (step === 0) shown.add(this.first);
    shown.delete(end);
    return shown;
  }

  /** Whether a number of `fields` counts a path. What `other` stands for is known once all paths are added. */
  isCounted({step, from, to}: PathPoint, edgesMax: number): (numbers: Uint32Array, length: number) => boolean {
    const edges = this.pairs.map((pairs) => this.rank(pairs).slice(0, edgesMax));
    const events = this.shownEvents(step - 1, edges);
    const shown = new Set((edges[step - 1] ?? []).map((edge) => edge.from * pairBase + edge.to));
    const isNode = (name: number, node: PathNode): boolean => {
      if ('event' in node) return name === this.numbers.get(node.event);
      return node.kind === 'end' ? name === end : name !== end && !events.has(name);
    };
    return (numbers, length) => {
      if (step - 1 > length) return false; // The path ended earlier.
      const nameAt = (place: number): number => (place < length ? numbers[place] : end); // PA2
      const [name, following] = [nameAt(step - 1), nameAt(step)];
      if (to === undefined) return isNode(name, from);
      if (name === end) return false;
      const isOther = 'kind' in from && from.kind === 'other';
      return isOther ? !shown.has(name * pairBase + following) : isNode(name, from) && isNode(following, to);
    };
  }

  /** Edges with the most frequent first, ties by the bytes of their names; the end of a path comes after all names. */
  private rank(pairs: ReadonlyMap<number, number>): Edge[] {
    const edges = Array.from(pairs, ([pair, users]) => ({
      from: Math.floor(pair / pairBase),
      to: pair % pairBase,
      users,
    }));
    return edges.sort((a, b) => b.users - a.users || this.compare(a.from, b.from) || this.compare(a.to, b.to));
  }

  private compare(a: number, b: number): number {
    if (a === end || b === end) return a === b ? 0 : a === end ? 1 : -1;
    return compareTexts(this.texts[a], this.texts[b]);
  }

  /** A step: the events of shown edges, the sum of the others, and the users whose path ended. PA3 */
  private stepText(step: number, shown: ReadonlySet<number>): string {
    const users = this.events[step];
    const names = [...shown].sort((a, b) => usersOf(users, b) - usersOf(users, a) || this.compare(a, b));
    const texts = names.map((name) => `{${this.node(name)},"users":${usersOf(users, name)}}`);
    let others = 0;
    for (const [name, all] of users) if (name !== end && !shown.has(name)) others += all;
    if (others > 0) texts.push(`{"kind":"other","users":${others}}`);
    if (users.has(end)) texts.push(`{${this.node(end)},"users":${usersOf(users, end)}}`);
    return `[${texts.join()}]`;
  }

  private edgeTexts(step: number, shown: readonly Edge[], rest: readonly Edge[]): string[] {
    const head = `{"step":${step + 1}`;
    const texts = shown.map(({from, to, users}) => {
      return `${head},"from":{${this.node(from)}},"to":{${this.node(to)}},"users":${users}}`;
    });
    const others = rest.reduce((sum, {users}) => sum + users, 0);
    const other = '{"kind":"other"}';
    if (others > 0) texts.push(`${head},"from":${other},"to":${other},"users":${others}}`);
    return texts;
  }

  private readonly node = (name: number): string =>
    name === end ? '"kind":"end"' : `"event":${JSON.stringify(this.texts[name])}`;
}

const usersOf = (users: ReadonlyMap<number, number>, key: number): number => users.get(key) ?? 0;
