// The content of the journal's file: the outcome of every thing as far as the client can know it, and the outages of the log.

import {closeSync, openSync, readSync} from 'node:fs';
import type {Outcome, Thing, TimedLine} from './journal.js';

/** Everything that happened to one thing. */
export interface Fate {
  readonly thing: Thing;
  sends: number;
  acked: number;
  refused: number;
  /** Sends without a settling answer. */
  unknown: number;
  /** Time of the newest acknowledgement; 0 before the first. */
  ackedAt: number;
  deletionId: string | undefined;
}

export interface Request {
  readonly things: readonly number[];
  readonly sentAt: number;
  answeredAt: number | undefined;
  status: number | undefined;
}

export interface Outage {
  readonly name: string;
  readonly downAt: number;
  upAt: number;
  /** Writes sent later than this after its begin must be answered at once. */
  readonly noticedWithinMs: number;
}

const chunkBytes = 1_048_576;

export class Truth {
  readonly fates = new Map<number, Fate>();
  readonly requests = new Map<number, Request>();
  readonly outages: Outage[] = [];
  /** Answers that the API does not have. */
  readonly strange: string[] = [];
  private readonly file: number;
  private position = 0;
  private rest: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.file = openSync(path, 'r');
  }

  close(): void {
    closeSync(this.file);
  }

  /** Reads the lines since the last call. */
  catchUp(): void {
    const chunk = Buffer.alloc(chunkBytes);
    for (;;) {
      const length = readSync(this.file, chunk, 0, chunkBytes, this.position);
      if (length === 0) return;
      this.position += length;
      this.take(Buffer.concat([this.rest, chunk.subarray(0, length)]));
    }
  }

  private take(bytes: Buffer): void {
    const end = bytes.lastIndexOf('\n') + 1;
    this.rest = bytes.subarray(end);
    for (const text of bytes.subarray(0, end).toString('utf8').split('\n')) {
      if (text !== '') this.fold(JSON.parse(text) as TimedLine);
    }
  }

  private fold(line: TimedLine): void {
    switch (line.line) {
      case 'thing':
        this.fates.set(line.thing.n, {
          thing: line.thing,
          sends: 0,
          acked: 0,
          refused: 0,
          unknown: 0,
          ackedAt: 0,
          deletionId: undefined,
        });
        break;
      case 'send':
        // Unknown until an answer says otherwise: the journal may end here.
        for (const n of line.things) this.sent(this.fateOf(n));
        this.requests.set(line.request, {
          things: line.things,
          sentAt: line.at,
          answeredAt: undefined,
          status: undefined,
        });
        break;
      case 'answer':
        this.answered(line);
        break;
      case 'log down':
        this.outages.push({
          name: line.name,
          downAt: line.at,
          upAt: Number.POSITIVE_INFINITY,
          noticedWithinMs: line.noticedWithinMs,
        });
        break;
      case 'log up':
        this.outages.at(-1)!.upAt = line.at;
        break;
      case 'strike':
      case 'round':
        break;
    }
  }

  private sent(fate: Fate): void {
    fate.sends += 1;
    fate.unknown += 1;
  }

  private answered(line: TimedLine & {line: 'answer'}): void {
    const request = this.requests.get(line.request)!;
    request.answeredAt = line.at;
    request.status = line.status;
    if (line.strange !== undefined) this.strange.push(`${line.status} ${line.strange}`);
    for (const [index, n] of request.things.entries()) this.settle(this.fateOf(n), line.outcomes[index]!, line);
  }

  private settle(fate: Fate, outcome: Outcome, line: TimedLine & {line: 'answer'}): void {
    if (outcome === 'unknown') return;
    fate.unknown -= 1;
    fate[outcome] += 1;
    if (outcome === 'acked') fate.ackedAt = line.at;
    fate.deletionId = line.deletionId ?? fate.deletionId;
  }

  private fateOf(n: number): Fate {
    const fate = this.fates.get(n);
    if (fate === undefined) throw new Error(`the journal sends thing ${n} before it names it`);
    return fate;
  }
}
