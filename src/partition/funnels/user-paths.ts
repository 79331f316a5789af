// Finds the steps that single users reached in funnels: reads their folded rows, wherever they are, and searches their paths as the
// funnel report does (actors/report/funnel).
//   UP1. Rows that come while others are read may be left out: the steps are those of a moment between the call and its end.

import {wtf8} from '../../../actors/bytes/bytes.js';
import {BodyBlock, type RowColumns} from '../../../actors/chunk/bodies.js';
import {bodyBlockRows} from '../../../actors/limits.js';
import type {PathSearch} from '../../../actors/report/funnel/path-rules.js';
import {pathSearch} from '../../../actors/report/funnel/path-search.js';
import {PropertyValues} from '../../../actors/report/rows/property-values.js';
import {KeyJudge} from '../../../actors/report/rows/row-choice.js';
import {SelectorSets} from '../../../actors/report/rows/selector-sets.js';
import {type FunnelPath, funnelSelectors} from '../../asks/funnels.js';
import {type FoundRows, rowsOf, type Yield} from '../identity/left-rows.js';
import type {RowSources} from '../partition-view.js';

/** Time at which a user reached each step, epoch ms; steps that the user did not reach have none. */
export type StepTimes = readonly number[];

const nowhere: StepTimes = [];

/**
 * Paths by user, in the order of `funnels`, empty where `isAsked` is false. UP1.
 * @throws MissingPart, DamagedPart
 */
export async function pathsOf(
  view: RowSources,
  users: readonly number[],
  funnels: readonly FunnelPath[],
  turn: Yield,
  isAsked: (user: number, funnel: number) => boolean = () => true,
): Promise<ReadonlyMap<number, readonly StepTimes[]>> {
  const walks = funnels.map((funnel) => new PathWalk(view, funnel));
  const events = new Map<number, ChosenEvent[]>();
  for await (const found of rowsOf(view, users)) {
    const named = rowsByName(found);
    const sets: Uint32Array[] = [];
    for (const walk of walks) sets.push(await walk.setsIn(found, named));
    noteEvents(events, found, sets);
    await turn();
  }
  const pathsOfUser = (user: number): readonly StepTimes[] => {
    const own = events.get(user) ?? [];
    own.sort((a, b) => a.timeMs - b.timeMs || a.ordinal - b.ordinal);
    return walks.map((walk, at) => (isAsked(user, at) ? walk.pathOf(own, at) : nowhere));
  };
  return new Map(users.map((user) => [user, pathsOfUser(user)]));
}

/** An event that some funnel chooses. */
interface ChosenEvent {
  readonly timeMs: number;
  readonly ordinal: number;
  /** By funnel the set of its selectors that choose the event; 0 for none. */
  readonly sets: readonly number[];
}

/** `sets`: by funnel the set of each row. */
function noteEvents(
  events: Map<number, ChosenEvent[]>,
  {columns, rows}: FoundRows,
  sets: readonly Uint32Array[],
): void {
  for (const [place, row] of rows.entries()) {
    if (sets.every((ofRows) => ofRows[place] === 0)) continue;
    const event = {
      timeMs: columns.timeBase + columns.times[row]!,
      ordinal: columns.baseOrdinal + row,
      sets: sets.map((ofRows) => ofRows[place]!),
    };
    const user = columns.users[row]!;
    const known = events.get(user);
    if (known === undefined) events.set(user, [event]);
    else known.push(event);
  }
}

/** Rows, ascending, by the index of their name. */
type RowsOfNames = ReadonlyMap<number, readonly number[]>;

function rowsByName({columns, rows}: FoundRows): RowsOfNames {
  const named = new Map<number, number[]>();
  for (const row of rows) {
    const name = columns.names[row]!;
    const known = named.get(name);
    if (known === undefined) named.set(name, [row]);
    else known.push(row);
  }
  return named;
}

interface NamedSelector {
  /** Index of the name: undefined for every event, -1 for one that never happened here. */
  readonly name: number | undefined;
  readonly judges: readonly KeyJudge[];
}

/** The walk of one funnel. */
class PathWalk {
  private readonly selectors: readonly NamedSelector[];
  private readonly sets: SelectorSets;
  private readonly search: PathSearch;
  private times = new Float64Array(64);
  private setsOfEvents = new Uint32Array(64);

  constructor({partition}: RowSources, funnel: FunnelPath) {
    const {steps, order = 'sequential', windowMs = Number.POSITIVE_INFINITY, exclusions = []} = funnel;
    const selectors = funnelSelectors(funnel);
    this.selectors = selectors.map(({event, where = []}) => ({
      name: event === undefined ? undefined : nameIn(partition.aggregator.names, event),
      judges: where.map((condition) => new KeyJudge(condition, new PropertyValues(condition.property))),
    }));
    this.sets = new SelectorSets(selectors.length);
    this.search = pathSearch({
      sets: this.sets,
      stepCount: steps.length,
      order,
      windowMs,
      entryLastMs: Number.POSITIVE_INFINITY,
      exclusions: exclusions.map((between, i) => ({...between, selector: steps.length + i})),
    });
  }

  /** The set of selectors of each of the rows. */
  async setsIn(found: FoundRows, named: RowsOfNames): Promise<Uint32Array> {
    const chosen: Uint16Array[] = [];
    for (const {name, judges} of this.selectors) {
      let passing: Uint16Array = Uint16Array.from(name === undefined ? found.rows : (named.get(name) ?? []));
      for (const judge of judges) if (passing.length > 0) passing = await passingOf(judge, found, passing);
      chosen.push(passing);
    }
    const sets = new Uint32Array(found.rows.length);
    let place = 0;
    this.sets.forEachRow(Uint16Array.from(found.rows), chosen, (row, set) => {
      while (found.rows[place] !== row) place += 1;
      sets[place] = set;
    });
    return sets;
  }

  /** `events`: those of a user, in order. `at`: the place of this funnel in their sets. */
  pathOf(events: readonly ChosenEvent[], at: number): StepTimes {
    if (events.length > this.times.length) {
      this.times = new Float64Array(2 * events.length);
      this.setsOfEvents = new Uint32Array(2 * events.length);
    }
    let count = 0;
    for (const {timeMs, sets} of events) {
      if (sets[at] === 0) continue;
      this.times[count] = timeMs;
      this.setsOfEvents[count++] = sets[at]!;
    }
    const depth = this.search.find(this.times, this.setsOfEvents, count);
    return Array.from(this.search.places.subarray(0, depth), (place) => this.times[place]!);
  }
}

function nameIn(names: RowSources['partition']['aggregator']['names'], event: string): number {
  const bytes = wtf8(event);
  return names.find(bytes, 0, bytes.length);
}

/** Those of the rows that pass. */
async function passingOf(judge: KeyJudge, {whole, block}: FoundRows, rows: Uint16Array): Promise<Uint16Array> {
  const columns = await whole();
  judge.values.open(columns);
  await addBodies(judge.values, columns, block, rows);
  judge.open();
  return judge.passing(rows);
}

async function addBodies(
  values: PropertyValues,
  columns: RowColumns,
  block: FoundRows['block'],
  rows: Uint16Array,
): Promise<void> {
  if (values.keys !== undefined) return;
  const blockOf = (row: number): number => Math.floor(row / bodyBlockRows);
  const unsure = rows.filter((row) => values.isUnsure(row));
  for (const number of new Set(Array.from(unsure, blockOf))) {
    const bytes = await block(number);
    const bodies = new BodyBlock(bytes, columns);
    // Rows that were erased meanwhile have no body.
    const left = unsure.filter((row) => blockOf(row) === number && bodies.body(row, anyUser) !== undefined);
    values.addBodies(columns, bytes, left);
  }
}

const anyUser = {has: () => true};
