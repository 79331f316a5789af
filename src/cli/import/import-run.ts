// One import, from the first unsettled line to the end of the file. Read this first.
//   I1. Every line is counted exactly once: accepted, refused, left out, or blank. A line of several entries is accepted once
//       all of them are, and refused for the first that is not. No line is dropped without a reason and a number.
//   I2. After an interruption at any point the next run continues after the last committed line; later lines are sent again
//       with the same messageIds.

import type {Checkpoint} from './checkpoint.js';
import type {Delivery} from './delivery.js';
import {Lanes} from './lanes.js';
import {Ledger, type Span} from './ledger.js';
import type {Line} from './line.js';
import type {LineSource} from './lines.js';
import {MessageIdSet} from './message-id-set.js';
import type {ResumeState} from './resume-state.js';
import {type LineMeaning, type Refusal, readLine, type SourceEvent} from './source-event.js';
import {emptyTally, type Tally} from './tally.js';
import type {VendorFormat} from './vendor-formats.js';

/** Full batches a lane in one span. Half-filled lanes are flushed at the end of a span, which bounds the uncommitted lines. */
const spanBatchesPerLane = 4;

interface LineInFlight {
  readonly span: Span;
  /** Entries that wait for their verdict. */
  waiting: number;
  refusal: Refusal | null;
  isRepeated: boolean;
}

/** An entry in flight, with its line. */
interface TrackedEvent extends SourceEvent {
  readonly of: LineInFlight;
}

interface ImportPlan {
  readonly source: LineSource;
  readonly fileHead: string;
  /** Of another service's export. */
  readonly format?: VendorFormat | undefined;
  readonly batchEventsMax: number;
  readonly laneCount: number;
  readonly resumeFrom: ResumeState | null;
}

/** Thrown inside the run when the operator interrupts it. */
export class Interrupted extends Error {
  override name = 'Interrupted';

  constructor() {
    super('Interrupted.');
  }
}

export class ImportRun {
  readonly ledger: Ledger;
  readonly ids = new MessageIdSet();
  linesRead = 0;
  readonly #lanes: Lanes<TrackedEvent>;
  readonly #resumeLine: number;
  readonly #resumeTally: Tally;
  readonly #spanLines: number;
  #spanStartLine: number;
  #isInterrupted = false;

  constructor(
    private readonly plan: ImportPlan,
    private readonly delivery: Delivery,
    private readonly checkpoint: Checkpoint,
  ) {
    this.#resumeLine = plan.resumeFrom?.line ?? 0;
    this.#resumeTally = plan.resumeFrom?.tally ?? emptyTally();
    this.#spanStartLine = this.#resumeLine;
    this.#spanLines = plan.batchEventsMax * plan.laneCount * spanBatchesPerLane;
    this.ledger = new Ledger(structuredClone(this.#resumeTally), this.#resumeLine, () => checkpoint.offer(this.ledger));
    this.#lanes = new Lanes(plan.laneCount, plan.batchEventsMax, (events) => this.#deliver(events));
  }

  /** Resolves when every line is settled; after a rejection `writeState` stores where to resume. */
  async run(): Promise<void> {
    for await (const lines of this.plan.source.chunks()) {
      for (const line of lines) {
        const waiting = line.number <= this.#resumeLine ? this.#remember(line) : this.#send(line);
        if (waiting !== undefined) await waiting;
        if (this.#isInterrupted) throw new Interrupted();
      }
    }
    await this.#lanes.drain();
    this.ledger.closeSpan(this.linesRead);
  }

  /** No further line is read; `run` rejects with `Interrupted`. */
  interrupt(): void {
    this.#isInterrupted = true;
  }

  /** Resolves when no batch is in flight, even if batches failed. */
  async idle(): Promise<void> {
    await this.#lanes.idle();
  }

  async writeState(): Promise<void> {
    await this.checkpoint.write(this.ledger);
  }

  #read(line: Line): LineMeaning {
    this.linesRead = line.number;
    return readLine(line, this.plan.fileHead, this.plan.format);
  }

  #send(line: Line): Promise<void> | undefined {
    const meaning = this.#read(line);
    let waiting: Promise<void> | undefined;
    if (meaning.kind === 'refused') this.ledger.refuse(line.number, meaning.refusal);
    if (meaning.kind === 'left_out') this.ledger.leaveOut();
    if (meaning.kind === 'sent') waiting = this.#addAll(meaning.entries);
    if (line.number - this.#spanStartLine < this.#spanLines) return waiting;
    return this.#endSpan(line.number, waiting);
  }

  #addAll(entries: readonly SourceEvent[]): Promise<void> | undefined {
    const of: LineInFlight = {span: this.ledger.expect(), waiting: entries.length, refusal: null, isRepeated: false};
    let waiting: Promise<void> | undefined;
    for (const entry of entries) {
      const tracked = {...entry, of};
      waiting = waiting === undefined ? this.#lanes.add(tracked) : waiting.then(() => this.#lanes.add(tracked));
    }
    return waiting;
  }

  async #endSpan(lastLine: number, waiting: Promise<void> | undefined): Promise<void> {
    await waiting;
    this.#spanStartLine = lastLine;
    this.ledger.closeSpan(lastLine);
    await this.#lanes.flush();
  }

  /** Notes a line of an earlier run: a later line may repeat its messageId. */
  #remember(line: Line): undefined {
    const meaning = this.#read(line);
    if (meaning.kind !== 'sent') return;
    if (this.#resumeTally.firstRefused.some((refused) => refused.line === line.number)) return;
    for (const {userKey, messageId} of meaning.entries) if (messageId !== null) this.ids.add(userKey, messageId);
  }

  async #deliver(events: readonly TrackedEvent[]): Promise<void> {
    const verdicts = await this.delivery.deliver(events);
    for (const [index, verdict] of verdicts.entries()) {
      const event = events[index]!;
      const {of} = event;
      of.waiting -= 1;
      if (verdict === null) of.isRepeated = this.#isRepeated(event) || of.isRepeated;
      else of.refusal ??= verdict;
      if (of.waiting > 0) continue;
      if (of.refusal === null) this.ledger.settleAccepted(of.span, of.isRepeated);
      else this.ledger.settleRefused(of.span, event.line, of.refusal);
    }
  }

  /** Exact, because events of one user are settled in the order of the file (lanes.ts, N1). */
  #isRepeated(event: SourceEvent): boolean {
    if (event.messageId === null) return false;
    if (this.ids.has(event.userKey, event.messageId)) return true;
    this.ids.add(event.userKey, event.messageId);
    return false;
  }
}
