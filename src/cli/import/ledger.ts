// Progress of an import. Lanes finish out of order, but an import resumes at one line: the ledger divides the file into spans
// of lines, and commits a span once all of its lines, and all spans before it, are settled.
//   G1. `committed` includes no line after `committedLine`: an import that resumes there counts nothing twice and misses
//       nothing.

import {must} from '../../../actors/invariant.js';
import type {Refusal} from './source-event.js';
import {addTally, countAccepted, countRefused, emptyTally, type Tally} from './tally.js';

export interface Span {
  readonly tally: Tally;
  unsettled: number;
  /** Unknown while lines are still being added. */
  lastLine: number | null;
}

export class Ledger {
  readonly committed: Tally;
  committedLine: number;
  readonly #open: Span[] = [];
  readonly #onCommit: () => void;

  /** Begins at the end of an earlier run. `onCommit` is called whenever `committedLine` moved. */
  constructor(committed: Tally, committedLine: number, onCommit: () => void) {
    this.committed = committed;
    this.committedLine = committedLine;
    this.#onCommit = onCommit;
    this.#begin();
  }

  /** The span that new lines belong to. */
  get current(): Span {
    return must(this.#open.at(-1), 'a span is always open');
  }

  /** Notes a line in flight; `settle` follows. */
  expect(): Span {
    const span = this.current;
    span.unsettled += 1;
    return span;
  }

  settleAccepted(span: Span, isRepeated: boolean): void {
    countAccepted(span.tally, isRepeated);
    this.#settle(span);
  }

  settleRefused(span: Span, line: number, refusal: Refusal): void {
    countRefused(span.tally, line, refusal);
    this.#settle(span);
  }

  /** Refuses a line that was not sent. */
  refuse(line: number, refusal: Refusal): void {
    countRefused(this.current.tally, line, refusal);
  }

  /** Notes a line that says nothing that is stored. */
  leaveOut(): void {
    this.current.tally.leftOut += 1;
  }

  closeSpan(lastLine: number): void {
    this.current.lastLine = lastLine;
    this.#begin();
    this.#commit();
  }

  /** Number of lines in flight. */
  get unsettled(): number {
    return this.#open.reduce((sum, span) => sum + span.unsettled, 0);
  }

  /** Tally of all settled lines, committed or not. */
  total(): Tally {
    const sum = emptyTally();
    addTally(sum, this.committed);
    for (const span of this.#open) addTally(sum, span.tally);
    return sum;
  }

  #begin(): void {
    this.#open.push({tally: emptyTally(), unsettled: 0, lastLine: null});
  }

  #settle(span: Span): void {
    span.unsettled -= 1;
    if (span.unsettled === 0) this.#commit();
  }

  #commit(): void {
    const lineBefore = this.committedLine;
    for (let span = this.#committable(); span !== undefined; span = this.#committable()) {
      addTally(this.committed, span.tally);
      this.committedLine = must(span.lastLine, 'only closed spans are committed');
      this.#open.shift();
    }
    if (this.committedLine !== lineBefore) this.#onCommit();
  }

  /** The oldest span, if it can be committed. */
  #committable(): Span | undefined {
    const oldest = this.#open[0]!;
    return oldest.lastLine !== null && oldest.unsettled === 0 ? oldest : undefined;
  }
}
