// Deals the partitions of this process to its folding threads, and says which thread answers questions about which.
//   TR1. A partition goes to the thread that has fewest. What another thread still says of it is not heard.
import {askPartitionSubject} from '../asks/subjects.js';
import type {PartitionChange, PartitionThread} from '../threads.js';
import type {AnsweringThread} from '../worker-messages.js';
import type {Runners} from './membership.js';

/** Hears what became of runners. */
export interface Listener {
  released(partition: number): void;
  lost(partition: number, message: string): void;
}

export class ThreadRunners implements Runners {
  private readonly listener: Listener;
  /** The threads that answer questions, by their subjects. */
  private readonly answering: Map<string, AnsweringThread>;
  private threads: readonly PartitionThread[] = [];

  constructor(answering: Map<string, AnsweringThread>, listener: Listener) {
    this.answering = answering;
    this.listener = listener;
  }

  /** These threads own their first partitions. */
  begin(threads: readonly PartitionThread[]): void {
    this.threads = threads;
    for (const thread of threads) for (const partition of thread.partitions) this.answer(partition, thread);
  }

  private answer(partition: number, {answering}: PartitionThread): void {
    this.answering.set(askPartitionSubject(partition), answering);
  }

  own(partition: number): void {
    const thread = this.threads.reduce((least, one) => (one.partitions.length < least.partitions.length ? one : least));
    thread.partitions.push(partition);
    thread.change('own', partition);
  }

  release(partition: number): void {
    this.homeOf(partition)?.change('release', partition);
  }

  abandon(partition: number): void {
    const thread = this.homeOf(partition);
    if (thread === undefined) return;
    this.letGo(partition, thread);
    thread.change('abandon', partition);
  }

  private homeOf(partition: number): PartitionThread | undefined {
    return this.threads.find(({partitions}) => partitions.includes(partition));
  }

  private letGo(partition: number, {partitions}: PartitionThread): void {
    partitions.splice(partitions.indexOf(partition), 1);
    this.answering.delete(askPartitionSubject(partition));
  }

  hear(change: PartitionChange, from: number): void {
    const {partition} = change;
    const thread = this.homeOf(partition);
    if (thread === undefined || thread !== this.threads[from]) return; // TR1
    if (change.kind === 'owned') {
      this.answer(partition, thread);
      return;
    }
    this.letGo(partition, thread);
    if (change.kind === 'released') this.listener.released(partition);
    else this.listener.lost(partition, change.message);
  }
}
