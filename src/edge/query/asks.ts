// Questions to the partition and report roles. A role that does not answer is a 503 to the client.
import {InvariantError} from '../../../actors/invariant.js';
import type {Asker} from '../../asks/asker.js';
import type {DeliverAnswer} from '../../asks/deliver.js';
import {type AnswerOf, expectedAnswer, type PartitionAnswer, type PartitionQuestion} from '../../asks/partition.js';
import type {ReportAnswer, ReportQuestion} from '../../asks/report.js';
import {askDeliverSubject, askPartitionSubject, askReportSubject} from '../../asks/subjects.js';
import {type Failure, RequestFailure, retryAfter, unavailable} from '../failure.js';

/** A connection for questions. Rejects without a listener, when no answer comes in time, and when the asker is gone. */
export interface Requester {
  request(subject: string, question: object, options: {timeout: number; asker?: Asker}): Promise<unknown>;
}

// A partition waits up to 2 s for the log before it says `unavailable`, and a history without an index scans in slices.
const partitionMsMax = 15_000;
// A report over everything, with a cold cache of a few MiB, reads all of its parts.
const reportMsMax = 60_000;

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
   * @throws RequestFailure (503) for any other.
   */
  async partition<Kind extends PartitionAnswer['kind']>(
    partition: number,
    question: PartitionQuestion,
    kinds: readonly Kind[],
    msMax = partitionMsMax,
    asker?: Asker,
  ): Promise<AnswerOf<Kind>> {
    const answer = await this.ask<PartitionAnswer>(askPartitionSubject(partition), question, msMax, asker);
    if (answer.kind === 'unavailable') throw new RequestFailure(unavailable(answer.message));
    if (answer.kind === 'crowded') throw new RequestFailure(tooManyAsked(answer.message));
    return expectedAnswer(answer, question, kinds);
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
    const options = {timeout: msMax, ...(asker === undefined ? {} : {asker})};
    try {
      return (await this.requester.request(subject, question, options)) as Answer;
    } catch (error) {
      if (error instanceof InvariantError) throw error;
      // No listener (the role starts, or moves), no answer in time, or no connection: a client need not tell these apart.
      throw new RequestFailure(unavailable('this part of the service does not respond: see GET /readyz'));
    }
  }
}
