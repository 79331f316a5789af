// Questions to the partition and report roles. A role that does not answer is a 503 to the client.
//   AK1. A partition that moves to another process is silent for less than a second, on a busy machine for some: a question that finds
//        nobody there, or its former owner, is asked again for `movingMsMax`.
import {setTimeout as pause} from 'node:timers/promises';
import {InvariantError} from '../../../actors/invariant.js';
import type {Asker} from '../../asks/asker.js';
import type {DeliverAnswer} from '../../asks/deliver.js';
import {NobodyListens} from '../../asks/nobody-listens.js';
import {type AnswerOf, expectedAnswer, type PartitionAnswer, type PartitionQuestion} from '../../asks/partition.js';
import type {ReportAnswer, ReportQuestion} from '../../asks/report.js';
import {askDeliverSubject, askPartitionSubject, askReportSubject} from '../../asks/subjects.js';
import {monotonicMs} from '../../clock.js';
import {type Failure, RequestFailure, retryAfter, unavailable} from '../failure.js';

/** A connection for questions. Rejects without a listener, when no answer comes in time, and when the asker is gone. */
export interface Requester {
  request(subject: string, question: object, options: {timeout: number; asker?: Asker}): Promise<unknown>;
}

// A partition waits up to 2 s for the log before it says `unavailable`, and a history without an index scans in slices.
const partitionMsMax = 15_000;
// A report over everything, with a cold cache of a few MiB, reads all of its parts.
const reportMsMax = 60_000;
/** AK1 */
const movingMsMax = 4_000;
const movingPauseMs = 50;

const snapshotGone: Failure = {
  code: 'snapshot_gone',
  message: 'the snapshots of this position are not held any more: ask without at',
  field: 'at',
};

export type GivenAnswer = Exclude<ReportAnswer, {kind: 'unavailable' | 'snapshot_gone' | 'crowded' | 'too_expensive'}>;

const tooManyAsked = (message: string): Failure => ({code: 'rate_limited', message, headers: retryAfter});

function given(answer: ReportAnswer): GivenAnswer {
  switch (answer.kind) {
    case 'unavailable':
      throw new RequestFailure(unavailable(answer.message));
    case 'crowded':
      throw new RequestFailure(tooManyAsked(answer.message));
    case 'too_expensive':
      throw new RequestFailure({code: 'too_expensive', message: answer.message});
    case 'snapshot_gone':
      throw new RequestFailure(snapshotGone);
    default:
      return answer;
  }
}

export class Asks {
  private readonly requester: Requester;

  constructor(requester: Requester) {
    this.requester = requester;
  }

  /**
   * @returns an answer of one of `kinds`, those that fit the question.
   * @throws RequestFailure (503) for any other, also when nobody answers within `msMax`.
   */
  async partition<Kind extends PartitionAnswer['kind']>(
    partition: number,
    question: PartitionQuestion,
    kinds: readonly Kind[],
    msMax = partitionMsMax,
    asker?: Asker,
  ): Promise<AnswerOf<Kind>> {
    const endMs = monotonicMs() + msMax;
    let movingSinceMs: number | undefined;
    for (;;) {
      const leftMs = Math.max(1, endMs - monotonicMs());
      const answer = await this.askOwner(partition, question, leftMs, asker);
      if (answer.kind === 'unavailable') throw new RequestFailure(unavailable(answer.message));
      if (answer.kind === 'crowded') throw new RequestFailure(tooManyAsked(answer.message));
      if (answer.kind !== 'moved') return expectedAnswer(answer, question, kinds);
      movingSinceMs ??= monotonicMs();
      const againMs = monotonicMs() + movingPauseMs;
      if (againMs > Math.min(movingSinceMs + movingMsMax, endMs)) throw new RequestFailure(unavailable(answer.message));
      await pause(movingPauseMs); // AK1
    }
  }

  private async askOwner(
    partition: number,
    question: PartitionQuestion,
    msMax: number,
    asker: Asker | undefined,
  ): Promise<PartitionAnswer> {
    try {
      return await this.request<PartitionAnswer>(askPartitionSubject(partition), question, msMax, asker);
    } catch (error) {
      if (error instanceof NobodyListens) return {kind: 'moved', message: silence};
      throw silent(error);
    }
  }

  /** @throws RequestFailure for an answer that is none of these. */
  async report(question: ReportQuestion, asker: Asker): Promise<GivenAnswer> {
    return given(await this.ask<ReportAnswer>(askReportSubject, question, reportMsMax, asker));
  }

  /** What the report role says of itself. @throws RequestFailure (503) */
  async reportState(
    question: Extract<ReportQuestion, {ask: 'status' | 'measures'}>,
    msMax: number,
  ): Promise<GivenAnswer> {
    return given(await this.ask<ReportAnswer>(askReportSubject, question, msMax));
  }

  /** Measures of webhooks, from a process that delivers. @throws RequestFailure (503) */
  deliver(msMax: number): Promise<DeliverAnswer> {
    return this.ask<DeliverAnswer>(askDeliverSubject, {ask: 'measures'}, msMax);
  }

  private async ask<Answer>(subject: string, question: object, msMax: number, asker?: Asker): Promise<Answer> {
    try {
      return await this.request<Answer>(subject, question, msMax, asker);
    } catch (error) {
      throw silent(error);
    }
  }

  private async request<Answer>(subject: string, question: object, msMax: number, asker?: Asker): Promise<Answer> {
    const options = {timeout: msMax, ...(asker === undefined ? {} : {asker})};
    return (await this.requester.request(subject, question, options)) as Answer;
  }
}

const silence = 'this part of the service does not respond: see GET /readyz';

/** No listener, no answer in time, or no connection: a client need not tell these apart. */
function silent(error: unknown): unknown {
  return error instanceof InvariantError ? error : new RequestFailure(unavailable(silence));
}
