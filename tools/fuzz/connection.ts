// A connection to the service: one request at a time, with a parser of its answer.
import {connect, type Socket} from 'node:net';
import {monotonicMs} from '../../src/clock.js';

export interface FuzzAnswer {
  readonly kind: 'answer';
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** `closed`: by the service, without an answer. `silent`: no answer in time. `left`: the client left on purpose. */
export type Outcome = FuzzAnswer | {readonly kind: 'closed' | 'silent' | 'left'};

interface Waiting {
  readonly isHead: boolean;
  readonly settle: (outcome: Outcome) => void;
  readonly timer: NodeJS.Timeout;
}

// Longer than every deadline of the service: 10 s for a head, 30 s for a body, 60 s for a report.
const silentMsMax = 75_000;
// The service closes an idle connection after 8 s: a request that meets the close on its way would get no answer. Counted from
// the last request, as its answer may have waited for this process on a busy machine.
const idleMsMax = 4_000;
const none: Buffer = Buffer.alloc(0);
const headEnd = Buffer.from('\r\n\r\n');

export class FuzzConnection {
  private socket: Socket | undefined;
  private received = none;
  private waiting: Waiting | undefined;
  private sentMs = 0;

  constructor(private readonly port: number) {}

  /** `leaveAt`: the client leaves after so many bytes; undefined: it waits for the answer. */
  send(bytes: Buffer, isHead: boolean, leaveAt?: number): Promise<Outcome> {
    if (monotonicMs() - this.sentMs > idleMsMax) this.close();
    this.sentMs = monotonicMs();
    const socket = this.socket ?? this.open();
    return new Promise((settle) => {
      if (leaveAt !== undefined) {
        socket.write(bytes.subarray(0, leaveAt), () => {
          this.close();
          settle({kind: 'left'});
        });
        return;
      }
      const timer = setTimeout(() => this.settle({kind: 'silent'}), silentMsMax);
      this.waiting = {isHead, settle, timer};
      socket.write(bytes);
    });
  }

  private open(): Socket {
    const socket = connect(this.port, '127.0.0.1');
    socket.setNoDelay(true);
    this.socket = socket;
    this.received = none;
    socket.on('data', (bytes: Buffer) => {
      if (this.socket !== socket) return;
      this.received = this.received.length === 0 ? bytes : Buffer.concat([this.received, bytes]);
      this.read(false);
    });
    socket.on('error', () => {}); // `close` follows.
    socket.on('close', () => {
      if (this.socket !== socket) return;
      this.socket = undefined;
      this.read(true);
    });
    return socket;
  }

  private read(isClosed: boolean): void {
    const {waiting} = this;
    if (waiting === undefined) return;
    const answer = readAnswer(this.received, waiting.isHead, isClosed);
    if (answer !== undefined) this.settle(answer);
    else if (isClosed) this.settle({kind: 'closed'});
  }

  private settle(outcome: Outcome): void {
    const {waiting} = this;
    if (waiting === undefined) return;
    clearTimeout(waiting.timer);
    this.waiting = undefined;
    this.received = none;
    const isLast = outcome.kind !== 'answer' || outcome.headers.get('connection') === 'close';
    if (isLast) this.close();
    waiting.settle(outcome);
  }

  close(): void {
    this.socket?.destroy();
    this.socket = undefined;
  }
}

/** The first complete answer, without interim answers (1xx). */
function readAnswer(received: Buffer, isHead: boolean, isClosed: boolean): FuzzAnswer | undefined {
  const end = received.indexOf(headEnd);
  if (end < 0) return undefined;
  const [line, ...fields] = received.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})( |$)/.exec(line)?.[1] ?? 0);
  const rest = received.subarray(end + headEnd.length);
  if (status >= 100 && status < 200) return readAnswer(rest, isHead, isClosed);
  const headers = new Map(fields.map(readField));
  const hasNoBody = isHead || status === 204 || status === 304;
  const length = hasNoBody ? 0 : headers.get('content-length');
  if (length === undefined) return isClosed ? {kind: 'answer', status, headers, body: rest} : undefined;
  if (rest.length < Number(length)) return undefined;
  return {kind: 'answer', status, headers, body: rest.subarray(0, Number(length))};
}

function readField(field: string): readonly [string, string] {
  const colon = field.indexOf(':');
  return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
}
