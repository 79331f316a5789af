// Notes on valid events: clocks that are ahead, ignored fields.
import {countIgnored, IgnoredNames, newIgnoredCounts} from './ignored-fields.js';
import {clockAheadMsMin, type EventDraft} from './validate.js';

/** Notes on the events of one request. They can be transferred to another thread. */
export interface EventNotes {
  /** Events whose time `sentAt` corrected. */
  readonly corrected: number;
  /** Events whose time is ahead of their receipt by more than `clockAheadMsMin`. */
  readonly ahead: number;
  /** Lead of the event that is furthest ahead, ms; 0 without any. */
  readonly aheadMs: number;
  /** The first names of ignored fields (ignored-fields.ts), and how many events had each label. */
  readonly ignoredNames: readonly string[];
  readonly ignoredCounts: Float64Array;
}

export class NoteTaker implements EventNotes {
  corrected = 0;
  ahead = 0;
  aheadMs = 0;
  readonly ignoredCounts = newIgnoredCounts();
  private readonly ignored = new IgnoredNames();

  get ignoredNames(): readonly string[] {
    return this.ignored.names;
  }

  /** Notes a valid event. */
  take({timeMs, receivedMs, sentMs, ignored}: EventDraft): void {
    if (sentMs !== undefined && sentMs !== timeMs) this.corrected += 1;
    if (timeMs > receivedMs + clockAheadMsMin) this.takeAhead(1, timeMs - receivedMs);
    for (const name of ignored) this.takeIgnored(name);
  }

  takeAhead(count: number, aheadMs: number): void {
    this.ahead += count;
    this.aheadMs = Math.max(this.aheadMs, aheadMs);
  }

  takeIgnored(name: string): void {
    countIgnored(this.ignoredCounts, name);
    this.ignored.add(name);
  }

  /** A copy that can be transferred to another thread. */
  notes(): EventNotes {
    const {corrected, ahead, aheadMs, ignoredNames, ignoredCounts} = this;
    return {corrected, ahead, aheadMs, ignoredNames, ignoredCounts};
  }
}
