// The port to a bucket of small records: keys, and whatever else is kept by compare-and-set (src/nats/key-bucket.ts).
import {setTimeout as pause} from 'node:timers/promises';

/** One stored value; `revision` is what a compare-and-set compares. */
export interface BucketEntry {
  readonly name: string;
  readonly revision: number;
  readonly text: string;
}

/** The bucket cannot be reached, or does not answer: the outcome of a write is unknown. */
export class BucketFault extends Error {}

const againMs = 250;

/** Repeats `work` of a start, which finds what it wrote before, while no stream takes it: NATS elects a leader for some seconds. */
export async function throughElection<Given>(work: () => Promise<Given>): Promise<Given> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof BucketFault)) throw error;
    }
    await pause(againMs);
  }
}

/** Hears the content of the bucket. */
export interface KeyListener {
  /** The connection is back: another `all` follows. */
  returned(): void;
  /** All stored records, and the names of those that are stored and cannot be read. A StartFault ends the process. */
  all(entries: readonly BucketEntry[], unreadable?: readonly string[]): void;
  /** A change since `all`. */
  changed(entry: BucketEntry): void;
}

/** The bucket of keys. Rejects with a `BucketFault`. */
export interface KeyBucket {
  /** Resolves after the first `all` of the listener. */
  watch(listener: KeyListener): Promise<void>;
  /** `revision` 0: the name must be new. @returns the new revision, undefined when another writer was faster. */
  write(name: string, text: string, revision: number): Promise<number | undefined>;
  /** The newest entry of a name; undefined when there is none. */
  read(name: string): Promise<BucketEntry | undefined>;
  stop(): void;
}

/** A bucket whose records end without a trace. Rejects with a `BucketFault`. */
export interface RecordBucket extends KeyBucket {
  /** Names that `pattern` fits, those of emptied records, too. A star stands for a word between dots. */
  names(pattern: string): Promise<string[]>;
  /** Removes the record, unless it was written after `revision`. A write that expects this revision fails then. */
  purge(name: string, revision: number): Promise<void>;
}
