// Reads the event names of all partitions (src/ingest/known-names.ts), again and again: other edges take names, too, and names are
// deleted.
import {InvariantError} from '../../../actors/invariant.js';
import type {NamesAnswer, NamesQuestion} from '../../asks/names.js';
import type {KnownNames} from '../../ingest/known-names.js';

/** Pause between two readings: short while this edge has taken names that no reading had, or none succeeded. */
const soonMs = 1_000;
const idleMs = 10_000;
/** Readings from the beginning in a row: more mean that names are being deleted all the time. */
const againMax = 3;

type Reading = ReturnType<KnownNames['startReading']>;

interface NamesWatchOptions {
  readonly names: KnownNames;
  /** Rejects when the partition cannot answer. */
  readonly ask: (partition: number, question: NamesQuestion) => Promise<NamesAnswer>;
  readonly monotonicMs: () => number;
  /** Called when the share of the names that are taken becomes, or ceases to be, one that an operator should know. */
  readonly onNearlyFull: (isNearlyFull: boolean) => void;
}

export class NamesWatch {
  private readonly options: NamesWatchOptions;
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> | undefined;
  private isStopped = false;
  private wasNearlyFull = false;

  constructor(options: NamesWatchOptions) {
    this.options = options;
  }

  /** Reads the names now; a reading that is under way is followed by another one. Never rejects. */
  async read(): Promise<void> {
    await this.reading;
    if (this.isStopped) return;
    clearTimeout(this.timer);
    this.reading ??= this.readOnce().finally(() => {
      this.reading = undefined;
      if (!this.isStopped) this.timer = setTimeout(() => void this.read(), this.pauseMs).unref();
    });
    await this.reading;
  }

  private get pauseMs(): number {
    const {names} = this.options;
    return names.hasTaken || !names.isRead ? soonMs : idleMs;
  }

  /** This edge took a new name: the next reading comes soon. */
  noteTaken(): void {
    if (this.reading !== undefined || this.isStopped) return;
    const {timer} = this;
    if (timer !== undefined && this.isSoon) return;
    clearTimeout(timer);
    this.isSoon = true;
    this.timer = setTimeout(() => void this.read(), soonMs).unref();
  }

  private isSoon = false;

  private async readOnce(): Promise<void> {
    this.isSoon = false;
    const {names, monotonicMs, onNearlyFull} = this.options;
    const startMs = monotonicMs();
    for (let again = 0; again <= againMax; again++) {
      const reading = names.startReading(again > 0);
      if (!(await this.readAll(reading))) continue;
      names.endReading(reading, startMs);
      break;
    }
    if (names.isNearlyFull === this.wasNearlyFull) return;
    this.wasNearlyFull = names.isNearlyFull;
    onNearlyFull(names.isNearlyFull);
  }

  /** False: a partition has other names than before. */
  private async readAll(reading: Reading): Promise<boolean> {
    const areSame = await Promise.all(reading.places.map((_, partition) => this.readPartition(reading, partition)));
    return areSame.every((isSame) => isSame);
  }

  /** A partition that stands still or cannot be reached is left out. */
  private async readPartition(reading: Reading, partition: number): Promise<boolean> {
    try {
      for (let isOver = false; !isOver; ) {
        const answer = await this.options.ask(partition, {ask: 'names', ...reading.places[partition]!});
        if (!reading.take(partition, answer)) return false;
        isOver = answer.next >= answer.end;
      }
    } catch (error) {
      if (error instanceof InvariantError) throw error;
      reading.miss();
    }
    return true;
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }
}
