// Asks the owners of partitions for the data of deliveries.
import {type AnswerOf, expectedAnswer, type PartitionAnswer, type PartitionQuestion} from '../asks/partition.js';
import {askPartitionSubject} from '../asks/subjects.js';

/** The owner cannot answer now: it starts, moves, or is behind. The caller asks again later. */
export class OwnerAway extends Error {
  override name = 'OwnerAway';
}

const patienceMs = 15_000;

/** Sends a question to a subject. Rejects without an answer in `msMax`. */
export type Ask = (subject: string, question: PartitionQuestion, msMax: number) => Promise<unknown>;

export class Owners {
  private readonly request: Ask;

  constructor(request: Ask) {
    this.request = request;
  }

  /** @throws OwnerAway */
  async ask<Kind extends PartitionAnswer['kind']>(
    partition: number,
    question: PartitionQuestion,
    kinds: readonly Kind[],
  ): Promise<AnswerOf<Kind>> {
    let answer: PartitionAnswer;
    try {
      answer = (await this.request(askPartitionSubject(partition), question, patienceMs)) as PartitionAnswer;
    } catch (cause) {
      throw new OwnerAway('the owner of a partition does not answer', {cause});
    }
    if (answer.kind === 'unavailable' || answer.kind === 'moved') throw new OwnerAway(answer.message);
    return expectedAnswer(answer, question, kinds);
  }
}
