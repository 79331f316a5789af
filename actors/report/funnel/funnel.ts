// The funnel of one partition, that of all, and its JSON text in the order in which docs/api/reports/funnel.md shows it.
import type {ByteReader, ByteWriter} from '../../bytes/bytes.js';
import {each, type PartialSum, readNumber, writeNumber} from '../partials.js';
import {medianOf, type NumberList, type NumberLists} from './median.js';

export interface FunnelResult {
  /** Number of users at each step. */
  readonly reached: Float64Array;
  /** Ms since the previous step, for each user of the step; empty for the first step. */
  readonly durations: readonly NumberList[];
}

export interface Funnel {
  readonly reached: readonly number[];
  readonly medianMs: readonly (number | null)[];
}

/** The funnels of some partitions. */
export class FunnelResults implements PartialSum {
  readonly all: FunnelResult[] = [];
  private readonly stepCount: number;
  private readonly lists: NumberLists;

  constructor(stepCount: number, lists: NumberLists) {
    this.stepCount = stepCount;
    this.lists = lists;
  }

  *write(to: ByteWriter): Generator<void, void, void> {
    for (let step = 0; step < this.stepCount; step++) {
      to.varint(this.all.reduce((sum, {reached}) => sum + reached[step], 0));
      const columns = this.all.flatMap(({durations}) => durations[step].columns());
      to.varint(columns.reduce((sum, {length}) => sum + length, 0));
      for (const numbers of columns) yield* each(numbers.length, (i) => writeNumber(to, numbers[i]));
    }
  }

  *add(from: ByteReader): Generator<void, void, void> {
    const reached = new Float64Array(this.stepCount);
    const durations = Array.from(reached, () => this.lists.take());
    this.all.push({reached, durations});
    for (const [step, list] of durations.entries()) {
      reached[step] = from.varint();
      yield* each(from.varint(), () => list.push(readNumber(from)));
    }
  }

  /** Gives the lists of durations back: nobody reads them any more. */
  end(): void {
    for (const {durations} of this.all.splice(0)) for (const list of durations) this.lists.giveBack(list);
  }
}

export function mergeFunnels(stepCount: number, partials: readonly FunnelResult[]): Funnel {
  const steps = Array.from({length: stepCount}, (_, step) => step);
  return {
    reached: steps.map((step) => partials.reduce((sum, partial) => sum + partial.reached[step], 0)),
    medianMs: steps.map((step) => medianOf(partials.map(({durations}) => durations[step]))),
  };
}

export function funnelAnswer(events: readonly string[], {reached, medianMs}: Funnel): string {
  const entered = reached[0];
  const steps = events.map((event, step) => {
    const previous = reached[Math.max(step - 1, 0)];
    const ms = medianMs[step];
    return {
      event,
      count: reached[step],
      conversion_rate: rate(reached[step], entered),
      step_conversion_rate: rate(reached[step], previous),
      drop_off: previous - reached[step],
      median_seconds: ms === null ? null : ms / 1_000,
    };
  });
  return JSON.stringify({steps, conversion_rate: rate(reached[reached.length - 1], entered), total: entered});
}

const rate = (count: number, base: number): number => (base === 0 ? 0 : count / base);
