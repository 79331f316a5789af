// Walks the users of a funnel that only rows answer, and finds the path of each.
//   FW1. With a held property each value of a user has a path of its own; events without a value are in none.
//   FW2. Of a breakdown the path is chosen first, then the value of its events is read.
import {timeOf} from '../../../actors/chunk/rows.js';
import {StepNotes} from '../../../actors/report/funnel/event-notes.js';
import type {Path} from '../../../actors/report/funnel/path-log.js';
import type {PathSearch} from '../../../actors/report/funnel/path-rules.js';
import {pathSearch} from '../../../actors/report/funnel/path-search.js';
import {comparesNumbers} from '../../../actors/report/rows/condition.js';
import type {Users} from '../../../actors/report/rows/current-traits.js';
import {PropertyValues} from '../../../actors/report/rows/property-values.js';
import {SelectorSets} from '../../../actors/report/rows/selector-sets.js';
import type {WalkUser} from '../../../actors/report/rows/user-walk.js';
import {firstValueGroup, KeyGroups, missingGroup, ValueGroups} from '../../../actors/report/rows/value-groups.js';
import {type BreakdownAt, type FunnelRules, funnelSelectors} from '../../asks/funnels.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {BeyondMemory, type NoteRows, RowScan} from '../row-scan.js';
import {Grouping} from './grouped-rows.js';

/** Bound of notes and values, in bytes, where the bound of gathered rows is smaller. */
const noteBytesMin = 64 * 1024;

/** The path of one user, or of one user and a held value (FW1); good until the next one. */
export interface UserPath extends Path {
  readonly user: number;
  /** Text of the held value. */
  readonly held: string | undefined;
  /** Times of the first and the last event that may begin a path. */
  readonly firstEntryMs: number;
  readonly lastEntryMs: number;
  /** Group of the breakdown; a path without a value is in the group of missing values. FW2 */
  readonly group: number;
}

/** Groups of the breakdown, and the event of a path that has the value. */
interface PathGrouping {
  readonly grouping: Grouping;
  readonly at: BreakdownAt;
}

/** The values of the held property in one partition. */
class HeldValues {
  private readonly values: PropertyValues;
  private readonly groups = new ValueGroups();
  private readonly keyGroups = new KeyGroups(this.groups);

  constructor(values: PropertyValues) {
    this.values = values;
  }

  get bytes(): number {
    return this.groups.bytes;
  }

  /** Turns to the rows of a chunk. */
  open(): void {
    this.keyGroups.open(this.values);
  }

  of(row: number): number {
    return this.keyGroups.of(this.values, this.values.keyOf(row));
  }

  text(group: number): string {
    return this.groups.text(group);
  }
}

/** Events of one user, in order, of which a path is searched. */
class SearchedEvents {
  count = 0;
  times = new Float64Array(64);
  notes = new Uint32Array(64);
  sets = new Uint32Array(64);

  clear(countMax: number): void {
    this.count = 0;
    if (countMax <= this.times.length) return;
    this.times = new Float64Array(countMax * 2);
    this.notes = new Uint32Array(countMax * 2);
    this.sets = new Uint32Array(countMax * 2);
  }

  add(timeMs: number, note: number, set: number): void {
    this.times[this.count] = timeMs;
    this.notes[this.count] = note;
    this.sets[this.count] = set;
    this.count += 1;
  }
}

export class FunnelWalks {
  private readonly reading: Reading;
  readonly rules: FunnelRules;
  private readonly groups: PathGrouping | undefined;
  readonly scan: RowScan;
  private readonly sets: SelectorSets;
  private readonly search: PathSearch;
  private readonly entryLastMs: number;
  private readonly heldValues: PropertyValues | undefined;
  private readonly events = new SearchedEvents();
  /** Times at which the path reached each step. */
  private readonly times: Float64Array;

  constructor(reading: Reading, rules: FunnelRules, groups?: PathGrouping) {
    this.reading = reading;
    this.rules = rules;
    this.groups = groups;
    const {steps, order = 'sequential', exclusions = [], hold, fromMs, toMs, range} = rules;
    const {windowMs = Number.POSITIVE_INFINITY} = rules;
    const selectors = funnelSelectors(rules);
    this.sets = new SelectorSets(selectors.length);
    this.entryLastMs = range === 'entry' ? toMs : Number.POSITIVE_INFINITY;
    this.search = pathSearch({
      sets: this.sets,
      stepCount: steps.length,
      order,
      windowMs,
      entryLastMs: this.entryLastMs,
      exclusions: exclusions.map((between, i) => ({...between, selector: steps.length + i})),
    });
    this.times = new Float64Array(steps.length);
    const properties = new Set(groups?.grouping.properties);
    if (hold !== undefined) {
      this.heldValues = [...properties].find(({property}) => property.text === hold) ?? new PropertyValues(hold);
      properties.add(this.heldValues);
    }
    const stretch = {startMs: fromMs, lastMs: range === 'entry' ? toMs + windowMs : toMs};
    this.scan = new RowScan(reading, {stretch, selectors, properties: [...properties]});
  }

  /** Number of values that could not be compared, over all steps and exclusions; undefined when none compares numbers. */
  get skipped(): number | undefined {
    const compares = funnelSelectors(this.rules).some(({where}) => where?.some(({op}) => comparesNumbers(op)));
    return compares ? this.scan.skipped : undefined;
  }

  /** Hands over the path of everybody who entered, by ascending user index. */
  async walk(snapshot: PartitionSnapshot, users: Users | undefined, each: (path: UserPath) => void): Promise<void> {
    await this.groups?.grouping.open(this.reading.scan, snapshot);
    const notes = new StepNotes();
    /** Whether the note on an event is its set alone: looking one up takes as long as the rest of the walk. */
    const isPlain = this.groups === undefined && this.heldValues === undefined;
    const held = this.heldValues === undefined ? undefined : new HeldValues(this.heldValues);
    const note: NoteRows = (rows, chosen, walk) => {
      if (isPlain) {
        const {users: of, times, timeBase} = rows;
        this.sets.forEachRow(rows.order, chosen, (row, set) => walk.add(of[row]!, timeBase + times[row]!, set));
        return;
      }
      const groupOf = this.groups?.grouping.of(snapshot, rows);
      held?.open();
      this.sets.forEachRow(rows.order, chosen, (row, set) => {
        const value = held?.of(row) ?? firstValueGroup;
        if (value < firstValueGroup) return; // FW1
        walk.add(rows.users[row]!, timeOf(rows, row), notes.noteOf(set, value, groupOf?.(row) ?? missingGroup));
      });
      const bytes = notes.bytes + (held?.bytes ?? 0) + (this.groups?.grouping.groups.bytes ?? 0);
      const bytesMax = Math.max(this.reading.gatheredBytesMax, noteBytesMin);
      if (bytes > bytesMax) throw new BeyondMemory('the values of the events take', bytesMax);
    };
    const walkUser: WalkUser = (user, times, kinds, start, end) => {
      const find = (value?: string) => {
        const path = this.pathOf(user, value, notes);
        if (path !== undefined) each(path);
      };
      this.events.clear(end - start);
      if (held === undefined) {
        for (let i = start; i < end; i++)
          this.events.add(times[i]!, kinds[i]!, isPlain ? kinds[i]! : notes.set(kinds[i]!));
        find();
        return;
      }
      for (const places of placesByValue(notes, kinds, start, end)) {
        this.events.clear(places.length);
        for (const i of places) this.events.add(times[i]!, kinds[i]!, notes.set(kinds[i]!));
        find(held.text(notes.held(kinds[places[0]!]!)));
      }
    };
    await this.scan.walk(snapshot, note, walkUser, users);
  }

  /** Path through the noted events; undefined: the user did not enter. */
  private pathOf(user: number, held: string | undefined, notes: StepNotes): UserPath | undefined {
    const {events, search, times} = this;
    const depth = search.find(events.times, events.sets, events.count);
    if (depth === 0) return undefined;
    for (let step = 0; step < depth; step++) times[step] = events.times[search.places[step]!]!;
    let first = 0;
    while (!search.isEntry(events.sets[first]!)) first += 1;
    let last = events.count - 1;
    while (!search.isEntry(events.sets[last]!) || events.times[last]! > this.entryLastMs) last -= 1;
    const [firstEntryMs, lastEntryMs] = [events.times[first]!, events.times[last]!];
    return {user, held, depth, times, firstEntryMs, lastEntryMs, group: this.groupOf(depth, notes)};
  }

  /** FW2 */
  private groupOf(depth: number, notes: StepNotes): number {
    if (this.groups === undefined) return missingGroup;
    const {at} = this.groups;
    const groups = Array.from(this.search.places.subarray(0, depth), (place) => notes.group(this.events.notes[place]!));
    const isThere = (group: number): boolean => group !== missingGroup;
    if (at === 'first') return groups.find(isThere) ?? missingGroup;
    if (at === 'last') return groups.findLast(isThere) ?? missingGroup;
    return groups[at - 1] ?? missingGroup;
  }
}

/** A funnel with the walks that find its paths; without a breakdown there is no grouping. */
export function groupedWalks(
  reading: Reading,
  rules: FunnelRules,
): {readonly walks: FunnelWalks; readonly grouping: Grouping | undefined} {
  const {breakdown, breakdownAt = 1} = rules;
  const grouping = breakdown && new Grouping(breakdown);
  // A user's trait applies to all its events.
  const at = breakdown?.[0]?.by === 'trait' ? 1 : breakdownAt;
  return {grouping, walks: new FunnelWalks(reading, rules, grouping && {grouping, at})};
}

/** Places [start, end) of the events of each held value. FW1 */
function* placesByValue(
  notes: StepNotes,
  kinds: Uint32Array,
  start: number,
  end: number,
): Generator<Uint32Array, void, void> {
  const heldAt = (place: number): number => notes.held(kinds[place]!);
  const places = Uint32Array.from({length: end - start}, (_, i) => start + i);
  places.sort((a, b) => heldAt(a) - heldAt(b) || a - b);
  for (let first = 0; first < places.length; ) {
    let next = first + 1;
    while (next < places.length && heldAt(places[next]!) === heldAt(places[first]!)) next += 1;
    yield places.subarray(first, next);
    first = next;
  }
}
