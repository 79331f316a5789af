// Questions to another thread of this process, and the callers who wait for their answers.
import type {MessagePort} from 'node:worker_threads';
import type {AnsweringThread, FromAnswering, ThreadQuestion} from '../worker-messages.js';

export class ThreadQuestions implements AnsweringThread {
  isListening = false;
  private readonly send: (question: ThreadQuestion) => void;
  private readonly asked = new Map<number, (answer: unknown) => void>();
  private number = 0;

  constructor(send: (question: ThreadQuestion) => void) {
    this.send = send;
  }

  /** Questions over a port, which does not keep this thread alive. */
  static over(port: MessagePort): ThreadQuestions {
    const questions = new ThreadQuestions((question) => port.postMessage(question));
    port.on('message', (message: FromAnswering) => questions.hear(message));
    port.unref();
    return questions;
  }

  ask(subject: string, question: unknown, answered: (answer: unknown) => void): void {
    this.number += 1;
    this.asked.set(this.number, answered);
    this.send({kind: 'question', number: this.number, subject, question});
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
