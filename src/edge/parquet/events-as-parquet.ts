// Lines of an export as a Parquet file (src/edge/http/line-answer.ts).
//   EP1. Lines wait for others until they make a row group, at most a second: then they are sent. What is deleted meanwhile is in
//        no later row group.
import {monotonicMs} from '../../clock.js';
import type {LineForm} from '../http/line-answer.js';
import type {ParquetThread} from './parquet-thread.js';

export const parquetType = 'application/vnd.apache.parquet';

/** Some 14,000 events: readers are slow below some 5,000 rows, and each export holds one row group. */
const groupBytesMin = 4 * 1024 * 1024;
/** EP1 */
const heldMsMax = 1_000;

export class EventsAsParquet implements LineForm {
  readonly contentType = parquetType;
  readonly headers = [];
  private readonly thread: ParquetThread;
  private readonly facts: Readonly<Record<string, string>>;
  private readonly file: number;
  private isBegun = false;
  private held: Buffer[] = [];
  private heldBytes = 0;
  private heldSinceMs = 0;

  /** `facts`: what the footer says of the export, beside its number of events. */
  constructor(thread: ParquetThread, facts: Readonly<Record<string, string>>) {
    this.thread = thread;
    this.facts = facts;
    this.file = thread.nextFile();
  }

  async add(lines: Buffer): Promise<Buffer> {
    if (this.held.length === 0) this.heldSinceMs = monotonicMs();
    this.held.push(lines);
    this.heldBytes += lines.length;
    const isDue = this.heldBytes >= groupBytesMin || monotonicMs() - this.heldSinceMs > heldMsMax;
    return isDue ? this.write() : Buffer.alloc(0);
  }

  async flush(): Promise<Buffer> {
    return this.held.length === 0 ? Buffer.alloc(0) : this.write();
  }

  end(events: number): Promise<Buffer> {
    return this.write({...this.facts, events: String(events)});
  }

  /** A file that ends here has no footer: it says enough. */
  async fail(): Promise<Buffer> {
    return Buffer.alloc(0);
  }

  close(): void {
    if (this.isBegun) this.thread.forget(this.file);
  }

  private write(facts?: Readonly<Record<string, string>>): Promise<Buffer> {
    const lines = new Uint8Array(this.heldBytes);
    let at = 0;
    for (const some of this.held) {
      lines.set(some, at);
      at += some.length;
    }
    this.held = [];
    this.heldBytes = 0;
    const isFirst = !this.isBegun;
    this.isBegun = true;
    return this.thread.write({file: this.file, isFirst, lines, ...(facts && {facts})});
  }
}
