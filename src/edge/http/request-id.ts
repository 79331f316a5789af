// The id of a request, in its answer and in the log line of a fault (X-Request-Id): the client's, or one made here.
//   An accepted write carries only an id that the client sent: there is no fault to look up, and the line costs a tenth of an
//   answer.
import {randomBytes} from 'node:crypto';

const idForm = /^[A-Za-z0-9._~+/=:-]{1,128}$/;

/** Undefined for a text that does not belong in a log or a header: the request gets a new id. */
export const readRequestId = (text: string): string | undefined =>
  text !== '' && idForm.test(text) ? text : undefined;

/** Ids of one process differ from those of any other. */
export class RequestIds {
  private readonly prefix = randomBytes(6).toString('hex');
  private count = 0;

  next(): string {
    this.count += 1;
    return `${this.prefix}-${this.count.toString(36)}`;
  }
}
