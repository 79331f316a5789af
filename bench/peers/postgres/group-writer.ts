// Group commit into PostgreSQL: whatever waits leaves as one COPY, in a transaction of its own; while it is on its way the
// next one fills. COPY is the cheapest way in that PostgreSQL has.

import type {Client, Connection, Submittable} from 'pg';
import {copyStatement} from './event-row.js';

type Settled = (error: Error | null) => void;

/** Beyond it a group waits for the next turn: one transaction stays within a few MiB. */
const groupBytesMax = 4 * 1024 * 1024;

export class GroupWriter {
  #texts: string[] = [];
  #waiters: Settled[] = [];
  readonly #idle: Client[];
  #isFlushDue = false;

  /** More than one: one fills the server while another waits for the disk. */
  constructor(clients: readonly Client[]) {
    this.#idle = [...clients];
  }

  /** `settled` is called once the lines are committed, or known not to be. */
  append(lines: string, settled: Settled): void {
    this.#texts.push(lines);
    this.#waiters.push(settled);
    this.#flushSoon();
  }

  /** After this turn of the event loop: requests of all sockets that are readable now leave together. */
  #flushSoon(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    setImmediate(() => {
      this.#isFlushDue = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#texts.length === 0) return;
    const client = this.#idle.pop();
    if (client === undefined) return; // Who comes back takes all that waits.
    const count = this.#groupCount();
    const text = this.#texts.splice(0, count).join('');
    const waiters = this.#waiters.splice(0, count);
    const copy = new CopyIn(Buffer.from(text), (error) => {
      this.#idle.push(client);
      for (const settled of waiters) settled(error);
      this.#flushSoon();
    });
    client.query(copy);
  }

  #groupCount(): number {
    let [count, bytes] = [0, 0];
    while (count < this.#texts.length && (count === 0 || bytes < groupBytesMax)) bytes += this.#texts[count++]!.length;
    return count;
  }
}

/** What `pg` calls of a query while it is the active one; it knows COPY's messages, and leaves them to a query like this. */
class CopyIn implements Submittable {
  #error: Error | null = null;
  #isSettled = false;

  constructor(
    private readonly bytes: Buffer,
    private readonly settled: Settled,
  ) {}

  submit(connection: Connection): void {
    connection.query(copyStatement);
  }

  handleCopyInResponse(connection: Connection): void {
    const copying = connection as Connection & {sendCopyFromChunk(bytes: Buffer): void; endCopyFrom(): void};
    copying.sendCopyFromChunk(this.bytes);
    copying.endCopyFrom();
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.#error = error;
    // The server goes on with ReadyForQuery; a connection that is lost does not.
    setImmediate(() => this.#settle());
  }

  handleReadyForQuery(): void {
    this.#settle();
  }

  #settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.settled(this.#error);
  }
}
