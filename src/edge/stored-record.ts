// The record that all edges of a deployment share: who changed what, and who tried to get in.
//   CR1. A line is stored soon after its change: the answer does not wait for it. A line that a kill takes is in the process log.
//   CR2. What is repeated within an hour is two lines: the first, and one of the newest with the count of the others. Who arranges
//        a board, or tries wrong keys, does not push out who created a key.
//   CR3. Lines have what the audit trail has (AT1). The address of a client with a wrong key is left out: it may be a visitor's.
//   CR4. At most `waitingMax` lines wait for NATS. Further ones are counted, and their count becomes a line.
import type {LinesPage} from '../nats/record-lines.js';
import type {Logger} from '../observe.js';
import type {AuditLine} from './audit.js';

const repeatedMs = 3_600_000;
const repeatsMax = 1_000;
export const waitingMax = 1_000;
const againMs = 1_000;
export const pageLines = 100;

/** Store of the lines (src/nats/record-lines.ts). */
interface Lines {
  append(id: string, text: string): Promise<void>;
  page(before: number | undefined, countMax: number): Promise<LinesPage>;
}

interface StoredRecordOptions {
  readonly lines: Lines;
  readonly newId: () => string;
  /** Calls `call` after `ms`. */
  readonly later: (ms: number, call: () => void) => void;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface RecordPage {
  /** Newest first. */
  readonly lines: readonly AuditLine[];
  /** Begins the next page; undefined: there is none. */
  readonly before: number | undefined;
}

export class StoredRecord {
  private readonly waiting: {readonly id: string; readonly line: AuditLine}[] = [];
  /** Lines that found no room, and the time of the newest. CR4 */
  private lost: {readonly count: number; readonly atMs: number} | undefined;
  /** Repetitions by their key, each as one line; undefined: none since the last line of the key. CR2 */
  private readonly repeats = new Map<string, AuditLine | undefined>();
  private storing: Promise<void> | undefined;
  private isStopped = false;

  constructor(private readonly options: StoredRecordOptions) {}

  keep(line: AuditLine): void {
    const kept = line.what === 'key.refused' ? withoutAddress(line) : line; // CR3
    const key = repeatKey(kept);
    if (key !== undefined && this.repeats.has(key)) {
      this.repeats.set(key, {...kept, count: countOf(kept) + countOf(this.repeats.get(key))});
      return;
    }
    if (key !== undefined && this.repeats.size < repeatsMax) this.awaitRepeats(key);
    this.store(kept);
  }

  /** CR2 */
  private awaitRepeats(key: string): void {
    this.repeats.set(key, undefined);
    this.options.later(repeatedMs, () => {
      const repeated = this.repeats.get(key);
      if (repeated === undefined) this.repeats.delete(key);
      else {
        this.awaitRepeats(key);
        this.store(repeated);
      }
    });
  }

  private store(line: AuditLine): void {
    if (this.waiting.length < waitingMax) this.waiting.push({id: this.options.newId(), line});
    else this.lost = {count: (this.lost?.count ?? 0) + 1, atMs: line.atMs}; // CR4
    this.storing ??= this.storeAll();
  }

  private async storeAll(): Promise<void> {
    let isTold = false;
    for (;;) {
      const next = this.waiting[0];
      if (next === undefined || this.isStopped) break;
      try {
        await this.options.lines.append(next.id, JSON.stringify(next.line));
        this.waiting.shift();
        this.tellLost();
      } catch (error) {
        if (!isTold)
          this.options.logger.warn({reason: (error as Error).message}, 'the record takes no line: they wait');
        isTold = true;
        await new Promise<void>((resolve) => this.options.later(againMs, resolve));
      }
    }
    this.storing = undefined;
  }

  /** CR4 */
  private tellLost(): void {
    if (this.lost === undefined) return;
    this.waiting.push({id: this.options.newId(), line: {what: 'record.lost', ...this.lost}});
    this.lost = undefined;
  }

  /**
   * Lines before a sequence; undefined: the newest, with what this edge has not stored yet. What is repeated side by side is one
   * line. Rejects with a `BucketFault`.
   */
  async page(before: number | undefined): Promise<RecordPage> {
    if (before === undefined) await this.stored();
    const {texts, before: next} = await this.options.lines.page(before, pageLines);
    const repeated = before === undefined ? [...this.repeats.values()].filter((line) => line !== undefined) : [];
    const lines = [...repeated, ...texts.map((text) => JSON.parse(text) as AuditLine)];
    return {lines: folded(lines.sort((a, b) => b.atMs - a.atMs)), before: next};
  }

  /** Resolves when no line waits, or after a second. */
  private async stored(): Promise<void> {
    if (this.storing === undefined) return;
    await Promise.race([this.storing, new Promise<void>((resolve) => this.options.later(againMs, resolve))]);
  }

  /** Stores what is held back, too. Resolves when everything is stored: while NATS takes nothing, never. */
  async flush(): Promise<void> {
    for (const line of this.repeats.values()) if (line !== undefined) this.store(line);
    this.repeats.clear();
    await this.storing;
  }

  stop(): void {
    this.isStopped = true;
  }
}

const withoutAddress = ({address: _, ...line}: AuditLine): AuditLine => line;

const countOf = (line: AuditLine | undefined): number => (line === undefined ? 0 : (line.count ?? 1));

/** Lines with one key repeat each other; undefined: the line stands for itself. CR2 */
function repeatKey({what, subject, by, address}: AuditLine): string | undefined {
  if (what.endsWith('.refused')) return what;
  return what.endsWith('.changed') ? JSON.stringify([what, subject, by, address]) : undefined;
}

/** Makes one line of those that follow each other and repeat each other. */
function folded(lines: readonly AuditLine[]): AuditLine[] {
  const all: AuditLine[] = [];
  for (const line of lines) {
    const newer = all.at(-1);
    const isRepeated = newer !== undefined && repeatKey(line) !== undefined && repeatKey(newer) === repeatKey(line);
    if (isRepeated) all[all.length - 1] = {...newer, count: countOf(newer) + countOf(line)};
    else all.push(line);
  }
  return all;
}
