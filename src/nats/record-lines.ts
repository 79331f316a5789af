// The stream of the record: lines in the order in which edges stored them.
//   RL1. Nothing but its bound removes a line, and that takes the oldest: the sequences of the lines have no gap.
import type {JetStreamClient, JetStreamManager} from '@nats-io/jetstream';
import {BucketFault} from '../keys/key-bucket.js';
import {hasCode, messageNotFound} from './error-codes.js';
import {recordStream, recordSubject} from './topology.js';

export interface LinesPage {
  /** Newest first. */
  readonly texts: readonly string[];
  /** Sequence before which the next page begins; undefined: this is the last page. */
  readonly before: number | undefined;
}

export class RecordLines {
  private readonly js: JetStreamClient;
  private readonly jsm: JetStreamManager;

  /** `jsm`: of the same connection. */
  constructor(js: JetStreamClient, jsm: JetStreamManager) {
    this.js = js;
    this.jsm = jsm;
  }

  /** Resolves when the line is stored: once, also if it is repeated with the same id within two minutes. */
  async append(id: string, text: string): Promise<void> {
    await this.js.publish(recordSubject, text, {msgID: id});
  }

  /** The newest lines before a sequence, at most `countMax`. Rejects with a `BucketFault`. */
  async page(before: number | undefined, countMax: number): Promise<LinesPage> {
    try {
      const {state} = await this.jsm.streams.info(recordStream);
      const oldest = Math.max(1, state.first_seq);
      const end = Math.min(before ?? Number.POSITIVE_INFINITY, state.last_seq + 1);
      const start = Math.max(oldest, end - countMax);
      const sequences = Array.from({length: Math.max(0, end - start)}, (_, at) => end - 1 - at); // RL1
      const texts = await Promise.all(sequences.map((sequence) => this.read(sequence)));
      return {texts: texts.filter((text) => text !== undefined), before: start > oldest ? start : undefined};
    } catch (cause) {
      throw new BucketFault(`the record does not answer: ${(cause as Error).message}`, {cause});
    }
  }

  /** Undefined: the bound removed it meanwhile. */
  private async read(seq: number): Promise<string | undefined> {
    const message = await this.jsm.streams.getMessage(recordStream, {seq}).catch((error: Error) => {
      if (hasCode(error, messageNotFound)) return null;
      throw error;
    });
    return message?.string();
  }
}
