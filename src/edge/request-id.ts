// The id of a request, on its answer and in the log line of a fault (X-Request-Id): the client's, or one made here.
//   Accepted writes carry the client's alone: of what is stored there is nothing to look for, and a line of its own would
//   cost each of them a tenth of what its answer costs.
import {randomBytes} from 'node:crypto';

const idForm = /^[A-Za-z0-9._~+/=:-]{1,128}$/;

/** Undefined for a text that nobody should find in a log or a header: a new one is made then. */
export const readRequestId = (text: string): string | undefined =>
  text !== '' && idForm.test(text) ? text : undefined;

/** Those of one process differ from those of any other. */
export class RequestIds {
  private readonly prefix = randomBytes(6).toString('hex');
  private count = 0;

  next(): string {
    this.count += 1;
    return `${this.prefix}-${this.count.toString(36)}`;
  }
}
