// One import, from the first unsettled line to the end of the file. Read this first.
//   I1. Every line is counted exactly once: accepted, refused, or blank. No line is dropped without a reason and a number.
//   I2. After an interruption at any point the next run continues after the last committed line; later lines are sent again
//       with the same messageIds.

import type {Checkpoint} from './checkpoint.js';
import type {Delivery} from './delivery.js';
import {Lanes} from './lanes.js';
import {Ledger, type Span} from './ledger.js';
import type {Line, LineSource} from './lines.js';
import {MessageIdSet} from './message-id-set.js';
import type {ResumeState} from './resume-state.js';
import {readLine, type SourceEvent} from './source-event.js';
import {emptyTally, type Tally} from './tally.js';

/** Full batches a lane in one span. Half-filled lanes are flushed at the end of a span, which bounds the uncommitted lines. */
const spanBatchesPerLane = 4;

/** An event in flight, with the span of its line. */
interface TrackedEvent extends SourceEvent {
  readonly span: Span;
}

interface ImportPlan {
  readonly source: LineSource;
  readonly fileHead: string;
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

  #send(line: Line): Promise<void> | undefined {
    this.linesRead = line.number;
    const meaning = readLine(line, this.plan.fileHead);
    let waiting: Promise<void> | undefined;
    if (meaning.kind === 'refused') this.ledger.refuse(line.number, meaning.refusal);
    if (meaning.kind === 'event') {
      waiting = this.#lanes.add({...meaning.event, span: this.ledger.expect()});
    }
    if (line.number - this.#spanStartLine < this.#spanLines) return waiting;
    return this.#endSpan(line.number, waiting);
  }

  async #endSpan(lastLine: number, waiting: Promise<void> | undefined): Promise<void> {
    await waiting;
    this.#spanStartLine = lastLine;
    this.ledger.closeSpan(lastLine);
    await this.#lanes.flush();
  }

  /** Notes a line of an earlier run: a later line may repeat its messageId. */
  #remember(line: Line): undefined {
    this.linesRead = line.number;
    const meaning = readLine(line, this.plan.fileHead);
    if (meaning.kind !== 'event' || meaning.event.messageId === null) return;
    if (this.#resumeTally.firstRefused.some((refused) => refused.line === line.number)) return;
    this.ids.add(meaning.event.userKey, meaning.event.messageId);
  }

  async #deliver(events: readonly TrackedEvent[]): Promise<void> {
    const verdicts = await this.delivery.deliver(events);
    for (const [index, verdict] of verdicts.entries()) {
      const event = events[index]!;
      if (verdict === null) this.ledger.settleAccepted(event.span, this.#isRepeated(event));
      else this.ledger.settleRefused(event.span, event.line, verdict);
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
