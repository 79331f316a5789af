// Deletions that go on to other partitions: the user's devices are erased in theirs first, one after the other, then the user.
//   ON1. The next log gets the erase entry once all moves that were pending here are in their logs: no event of the user arrives
//        after its erasure. The entry lists the partitions in order, so the order is in the log from the beginning.
//   ON2. The record of the deletion names the user until then. The disk is cleaned after that (scrub.ts).
//   ON3. An owner whose predecessor died in between appends the entry again, which changes nothing (actors/partition.ts).
import {wtf8} from '../../../actors/bytes/bytes.js';
import {must} from '../../../actors/invariant.js';
import {nameByte} from '../../../actors/log/entries.js';
import type {DeletionRecord} from '../../../actors/manifest.js';
import type {Partition} from '../../../actors/partition.js';
import type {Mover} from '../identity/mover.js';

/** Longest wait for moves before the loop checks again whether the partition is live: a stop waits no longer. */
const appendedMsMax = 200;

interface OnwardSetup {
  readonly partition: Partition;
  readonly mover: Pick<Mover, 'whenAppended' | 'logOf'>;
  /** Tells every edge to forget links of this user. */
  readonly forgetLinks: (userKey: Uint8Array) => void;
  /** Called when no record here names the users of these deletions any more. ON2 */
  readonly wentOn: () => void;
  readonly isLive: () => boolean;
  readonly onFatal: (error: Error) => void;
}

export class OnwardDeletions {
  private readonly setup: OnwardSetup;
  private running: Promise<void> | undefined;

  constructor(setup: OnwardSetup) {
    this.setup = setup;
  }

  /** Call it when a deletion may have to go on. */
  wake(): void {
    if (!this.setup.isLive()) return;
    this.running ??= this.run()
      .catch((error: unknown) => this.setup.onFatal(error as Error))
      .finally(() => {
        this.running = undefined;
        if (this.due.length > 0) this.wake();
      });
  }

  /** Resolves when no deletion is being passed on. */
  async idle(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    const {mover, isLive, wentOn} = this.setup;
    for (let due = this.due; due.length > 0 && isLive(); due = this.due) {
      if (!(await mover.whenAppended(appendedMsMax))) continue; // ON1
      await Promise.all(due.map((record) => this.append(record)));
      wentOn();
    }
  }

  private get due(): DeletionRecord[] {
    return this.setup.partition.pendingDeletions().filter(({onward}) => onward !== undefined);
  }

  private async append({id, onward}: DeletionRecord): Promise<void> {
    const {partition, mover, forgetLinks} = this.setup;
    const {key, partitions} = must(onward, 'a deletion that goes on says where');
    const [next, ...rest] = partitions;
    const userKey = wtf8(key);
    await mover.logOf(next).erase([{key: userKey, id, onward: rest}]);
    if (userKey[0] !== nameByte) forgetLinks(userKey);
    partition.deletions.wentOn(id);
  }
}
