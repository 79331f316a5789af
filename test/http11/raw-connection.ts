// One TCP connection: bytes go out as they are, answers are cut out of what comes back.
import {once} from 'node:events';
import {connect, type Socket} from 'node:net';
import {setTimeout as delay} from 'node:timers/promises';
import {patienceMsMax} from '../support/until.js';

export interface RawAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

// Short of every deadline of the service.
const closedMsMax = 8_000;

export class RawConnection {
  private readonly socket: Socket;
  private received = '';
  private isClosed = false;
  private wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.received += text;
      this.wake();
    });
    socket.on('error', () => {}); // A reset: `close` follows.
    socket.on('close', () => {
      this.isClosed = true;
      this.wake();
    });
  }

  static async open(baseUrl: string): Promise<RawConnection> {
    const {hostname, port} = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** Resolves when the bytes are with the kernel, or the connection is gone. */
  write(bytes: string): Promise<void> {
    return new Promise((resolve) => this.socket.write(bytes, 'latin1', () => resolve()));
  }

  text(): string {
    return this.received;
  }

  /** What was answered so far, interim answers (1xx) left out. */
  answers(): RawAnswer[] {
    return readAnswers(this.received, this.isClosed);
  }

  /** Waits for so many answers, or for the end of the connection. */
  async untilAnswers(count: number): Promise<RawAnswer[]> {
    await this.until(() => this.isClosed || this.answers().length >= count, patienceMsMax);
    return this.answers();
  }

  /** @returns whether the other side closed in time. */
  async untilClosed(msMax = closedMsMax): Promise<boolean> {
    await this.until(() => this.isClosed, msMax);
    return this.isClosed;
  }

  private async until(isTrue: () => boolean, msMax: number): Promise<void> {
    const deadline = new AbortController();
    const over = delay(msMax, undefined, {signal: deadline.signal}).catch(() => {}); // Aborted: it became true.
    let isOver = false;
    void over.then(() => {
      isOver = true;
      this.wake();
    });
    while (!isTrue() && !isOver) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    deadline.abort();
  }

  /** Leaves without a word: whatever is on its way is thrown away. */
  destroy(): void {
    this.socket.destroy();
  }

  /** Sends nothing more, and would still read. */
  end(): void {
    this.socket.end();
  }

  /** Leaves with a reset. */
  reset(): void {
    this.socket.resetAndDestroy();
  }
}

function readAnswers(text: string, isWhole: boolean): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return answers;
    const [line, ...fields] = rest.slice(0, end).split('\r\n') as [string, ...string[]];
    const status = Number(/^HTTP\/1\.1 (\d{3})( |$)/.exec(line)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new Error(`no answer, but: ${JSON.stringify(rest.slice(0, 200))}`);
    const headers = new Map(fields.map(readField));
    const length = headers.get('content-length');
    const bodyStart = end + 4;
    rest = rest.slice(bodyStart);
    if (status < 200) continue;
    if (length === undefined && status !== 204 && !isWhole) return answers; // Its body ends with the connection.
    const bodyLength = status === 204 ? 0 : length === undefined ? rest.length : Number(length);
    if (rest.length < bodyLength) return answers;
    answers.push({status, headers, body: rest.slice(0, bodyLength)});
    rest = rest.slice(bodyLength);
  }
}

function readField(field: string): [string, string] {
  const colon = field.indexOf(':');
  return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
}
