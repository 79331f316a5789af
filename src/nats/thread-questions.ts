// Questions to another thread of this process, and the callers who wait for their answers.
import type {MessagePort} from 'node:worker_threads';
import type {AskedBy} from '../asks/asker.js';
import type {AnsweringThread, FromAnswering, ThreadQuestion, ThreadQuestionLeft} from '../worker-messages.js';

export class ThreadQuestions implements AnsweringThread {
  isListening = false;
  private readonly send: (message: ThreadQuestion | ThreadQuestionLeft) => void;
  private readonly asked = new Map<number, (answer: unknown) => void>();
  private number = 0;

  constructor(send: (message: ThreadQuestion | ThreadQuestionLeft) => void) {
    this.send = send;
  }

  /** Questions over a port, which does not keep this thread alive. */
  static over(port: MessagePort): ThreadQuestions {
    const questions = new ThreadQuestions((message) => port.postMessage(message));
    port.on('message', (message: FromAnswering) => questions.hear(message));
    port.unref();
    return questions;
  }

  ask(subject: string, question: unknown, answered: (answer: unknown) => void, by?: AskedBy): () => void {
    this.number += 1;
    const {number} = this;
    this.asked.set(number, answered);
    this.send({kind: 'question', number, subject, question, by});
    return () => {
      if (this.asked.delete(number)) this.send({kind: 'left', number});
    };
  }

  hear(message: FromAnswering): void {
    if (message.kind === 'listening') {
      this.isListening = true;
      return;
    }
    this.asked.get(message.number)?.(message.answer);
    this.asked.delete(message.number);
  }
}
