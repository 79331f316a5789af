// Reads where the rows of each partition end: one poll for all tails, ten times a second while there are tails.
import {setTimeout as pause} from 'node:timers/promises';
import type {Generations} from '../../actors/generations.js';
import {throwBroken} from '../../actors/invariant.js';
import {ConditionVariable} from '../pacing/condition-variable.js';
import type {Owners} from './owners.js';

const lookMs = 100;

export interface Head {
  readonly generation: number;
  readonly generations: Generations;
  /** Ordinal after the newest row. */
  readonly end: number;
}

export class Heads {
  private readonly owners: Owners;
  private readonly known = new Map<number, Head>();
  private readonly changed = new ConditionVariable();
  private isStopped = false;

  constructor(owners: Owners) {
    this.owners = owners;
  }

  /** Polls the wanted partitions until `stop`. */
  follow(partitionCount: number, isWanted: (partition: number) => boolean): void {
    for (let partition = 0; partition < partitionCount; partition++) void this.followOne(partition, isWanted);
  }

  private async followOne(partition: number, isWanted: (partition: number) => boolean): Promise<void> {
    while (!this.isStopped) {
      if (isWanted(partition)) await this.look(partition);
      await pause(lookMs);
    }
  }

  private async look(partition: number): Promise<void> {
    try {
      const question = {ask: 'tail', from: 0, limit: 0} as const;
      const {generation, generations, end} = await this.owners.ask(partition, question, ['tail']);
      const known = this.known.get(partition);
      if (known?.generation === generation && known.end === end) return;
      this.known.set(partition, {generation, generations, end});
      this.changed.notify();
    } catch (error) {
      throwBroken(error);
    }
  }

  get(partition: number): Head | undefined {
    return this.known.get(partition);
  }

  /** Generations of a partition that may not be polled. @throws OwnerAway */
  async generationsOf(partition: number): Promise<Generations> {
    const question = {ask: 'tail', from: 0, limit: 0} as const;
    return (this.known.get(partition) ?? (await this.owners.ask(partition, question, ['tail']))).generations;
  }

  /** Whether rows come after this place within `msMax`. */
  whenBehind(partition: number, {generation, ordinal}: TailPlace, msMax: number): Promise<boolean> {
    return this.changed.until(() => {
      const head = this.known.get(partition);
      return this.isStopped || (head !== undefined && (head.generation !== generation || head.end > ordinal));
    }, msMax);
  }

  stop(): void {
    this.isStopped = true;
    this.changed.notify();
  }
}

/** Place of a tail: the next ordinal to read. */
export interface TailPlace {
  readonly generation: number;
  readonly ordinal: number;
}
