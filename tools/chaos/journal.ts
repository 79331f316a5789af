// The client's journal. Each request is on disk before it leaves, and each answer before the client acts on it. Only this file
// decides what the service must have; truth.ts reads it.

import {closeSync, openSync, writeSync} from 'node:fs';
import type {EventBody, JsonObject} from '../model/model.js';

/** One request of a client. Its number is in the event's properties, or in the names of the traits. */
export type Thing =
  | {
      readonly n: number;
      readonly kind: 'event';
      readonly round: number;
      readonly body: EventBody;
      /** False: it breaks a rule of the API and must be refused. */
      readonly isValid: boolean;
    }
  | {
      readonly n: number;
      readonly kind: 'identify';
      readonly round: number;
      readonly userId: string;
      readonly traits: JsonObject;
    }
  | {readonly n: number; readonly kind: 'deletion'; readonly round: number; readonly userId: string};

export type EventThing = Thing & {kind: 'event'};

/** `unknown`: no answer, or one that leaves open whether it happened. */
export type Outcome = 'acked' | 'refused' | 'unknown';

export type JournalLine =
  | {readonly line: 'thing'; readonly thing: Thing}
  | {readonly line: 'send'; readonly request: number; readonly things: readonly number[]}
  | {
      readonly line: 'answer';
      readonly request: number;
      /** Undefined: no answer came; `lost` is the reason. */
      readonly status?: number;
      readonly lost?: string;
      readonly outcomes: readonly Outcome[];
      readonly deletionId?: string;
      /** Text of an answer that the API does not have. */
      readonly strange?: string;
    }
  | {readonly line: 'strike'; readonly name: string}
  /** The log cannot be reached from here on. */
  | {readonly line: 'log down'; readonly name: string; readonly noticedWithinMs: number}
  | {readonly line: 'log up'; readonly name: string}
  | {readonly line: 'round'; readonly round: number; readonly seed: number};

/** `at`: ms of this process's monotonic clock. */
export type TimedLine = JournalLine & {readonly at: number};

export class Journal {
  private readonly file: number;
  private things = 0;
  private requests = 0;

  constructor(readonly path: string) {
    this.file = openSync(path, 'a');
  }

  nextThing(): number {
    this.things += 1;
    return this.things;
  }

  nextRequest(): number {
    this.requests += 1;
    return this.requests;
  }

  write(line: JournalLine): void {
    const timed: TimedLine = {at: Math.round(performance.now() * 10) / 10, ...line};
    writeSync(this.file, `${JSON.stringify(timed)}\n`);
  }

  close(): void {
    closeSync(this.file);
  }
}
