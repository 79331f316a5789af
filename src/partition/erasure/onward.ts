// Deletions that go on to other partitions: the user's devices are erased in theirs first, one after the other, then the user.
//   ON1. The next log gets the erase entry once all moves that were pending here are in their logs: no event of the user arrives
//        after its erasure. The entry lists the partitions in order, so the order is in the log from the beginning.
//   ON2. The record of the deletion names the user until then. The disk is cleaned after that (scrub.ts).
//   ON3. An owner whose predecessor died in between appends the entry again, which changes nothing (actors/partition.ts).
//   ON4. The entry has the time of the request in every log. With that of each step, an event of a deleted name that was stored after
//        its step here would be deleted where it arrives.
import {wtf8} from '../../../actors/bytes/bytes.js';
import {must} from '../../../actors/invariant.js';
import {nameByte} from '../../../actors/log/entries.js';
import type {DeletionRecord} from '../../../actors/manifest.js';
import type {Partition} from '../../../actors/partition.js';
import {PacedWork} from '../../pacing/paced-work.js';
import {whenAllEnded} from '../../pacing/when-all-ended.js';
import type {DestinationLog} from '../log/log-writer.js';

/** Longest wait for moves before the next piece, which begins only while the partition is live: a stop waits no longer. */
const appendedMsMax = 200;

interface OnwardSetup {
  readonly partition: Partition;
  /** Whether the events of all pending moves are in their logs within `waitMs`. */
  readonly whenAppended: (waitMs: number) => Promise<boolean>;
  readonly logOf: (partition: number) => DestinationLog;
  /** Tells every edge to forget links of this user. */
  readonly forgetLinks: (userKey: Uint8Array) => void;
  /** Called when no record here names the users of these deletions any more. ON2 */
  readonly wentOn: () => void;
  readonly isLive: () => boolean;
  readonly onFatal: (error: Error) => void;
}

export class OnwardDeletions {
  private readonly setup: OnwardSetup;
  private readonly passing: PacedWork;

  constructor(setup: OnwardSetup) {
    this.setup = setup;
    this.passing = new PacedWork({work: () => this.passOn(), isAllowed: setup.isLive, onFailed: setup.onFatal});
  }

  /** Call it when a deletion may have to go on. */
  wake(): void {
    if (this.due.length > 0) this.passing.wake();
  }

  /** Resolves when no deletion is being passed on. */
  idle(): Promise<void> {
    return this.passing.idle();
  }

  private async passOn(): Promise<number | undefined> {
    const {due} = this;
    if (await this.setup.whenAppended(appendedMsMax)) {
      await whenAllEnded(due.map((record) => this.append(record))); // ON1
      this.setup.wentOn();
    }
    return this.due.length > 0 ? 0 : undefined;
  }

  private get due(): DeletionRecord[] {
    return this.setup.partition.deletions.pending().filter(({onward}) => onward !== undefined);
  }

  private async append({id, onward, receivedMs}: DeletionRecord): Promise<void> {
    const {partition, logOf, forgetLinks} = this.setup;
    const {key, partitions} = must(onward, 'a deletion that goes on says where');
    const [next, ...rest] = partitions;
    const userKey = wtf8(key);
    await logOf(next).erase([{key: userKey, id, onward: rest, receivedMs}]); // ON4
    if (userKey[0] !== nameByte) forgetLinks(userKey);
    partition.deletions.wentOn(id);
  }
}
