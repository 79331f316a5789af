// One attempt: a POST, and what its answer means.
//   PO1. A redirect is a failure: what it names was judged by nobody.
//   PO2. At most 64 KiB of an answer are read, and nothing of it is kept: it may be anything.
//   PO3. The status decides, once it is there; a receiver has 15 s for it, and for all of its answer. It has as long to be connected.
//   PO4. No request waits for a socket here: the caller bounds how many are under way (gate.ts, sender.ts).
//   PO5. A receiver may close an idle connection in the moment in which a request takes it. Such a request is made again at once, over
//        a new connection: both are one attempt.
import {type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage} from 'node:http';
import {Agent as HttpsAgent, request as httpsRequest, type RequestOptions} from 'node:https';
import type {Socket} from 'node:net';
import {type Addresses, RefusedAddress} from './addresses.js';
import {retryAfterMs} from './schedule.js';

const attemptMsMax = 15_000;
const answerBytesMax = 64 * 1024;
/** Sockets to one endpoint. */
export const socketsMax = 8;
export const socketsOfAllMax = 256;
const idleMsMax = 30_000;

/** Errors of a connection that the other end has closed. */
const closedCodes = new Set<string | undefined>(['ECONNRESET', 'EPIPE']);

export type Outcome =
  | {readonly kind: 'delivered'; readonly status: number}
  /** The receiver wants no more messages. */
  | {readonly kind: 'gone'; readonly status: 410}
  /** `waitMs`: the receiver's `Retry-After`. `isFinal`: no other attempt may follow (src/mail/mailer.ts ML2). */
  | {readonly kind: 'failed'; readonly status: number; readonly waitMs?: number; readonly isFinal?: true}
  /** The receiver did not answer. `why`: in words, without anything that it said. */
  | {readonly kind: 'failed'; readonly why: string}
  /** All data was erased before it was sent. */
  | {readonly kind: 'erased'};

/** Body of a request, and the headers that it needs besides those of every request. */
export interface Content {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface PostOptions {
  readonly addresses: Addresses;
  readonly wallMs: () => number;
  /** Time limit of an attempt; tests set a shorter one. */
  readonly msMax?: number;
  /** Certificate authorities to trust as well as those of the system: for tests. */
  readonly ca?: string;
}

export class Poster {
  private readonly options: PostOptions;
  private readonly connecting: Pick<RequestOptions, 'lookup' | 'ca'>;
  private readonly http: HttpAgent;
  private readonly https: HttpsAgent;

  constructor(options: PostOptions) {
    this.options = options;
    const {addresses, ca} = options;
    this.connecting = {lookup: addresses.lookup, ...(ca !== undefined && {ca})};
    // PO4. Limits of an agent count idle sockets, too: those of some receivers would keep out all others.
    const sockets = {keepAlive: true, maxFreeSockets: socketsMax, timeout: idleMsMax};
    this.http = new HttpAgent({...sockets, lookup: addresses.lookup});
    this.https = new HttpsAgent({...sockets, ...this.connecting});
  }

  /**
   * Makes one attempt. `contentOf` is called once the receiver is connected; undefined: there is nothing to send any more. Rejects
   * as `contentOf` does, and otherwise never.
   */
  async post(target: string, contentOf: () => Promise<Content | undefined>): Promise<Outcome> {
    const {addresses, msMax = attemptMsMax} = this.options;
    const fault = addresses.faultOf(target);
    if (fault !== undefined) return {kind: 'failed', why: fault};
    const url = new URL(target);
    return (await this.ask(url, msMax, contentOf)) ?? (await this.ask(url, msMax, contentOf, true))!; // PO5
  }

  /** Undefined: the receiver closed the idle connection that the request took; never with `isAnew`, over a new connection. */
  private ask(
    url: URL,
    msMax: number,
    contentOf: () => Promise<Content | undefined>,
    isAnew = false,
  ): Promise<Outcome | undefined> {
    const isTls = url.protocol === 'https:';
    const ask = isTls ? httpsRequest : httpRequest;
    const over = isAnew ? {...this.connecting, agent: false} : {agent: isTls ? this.https : this.http};
    return new Promise((resolve, reject) => {
      const request = ask(url, {method: 'POST', ...over});
      const limit = (what: string): NodeJS.Timeout =>
        setTimeout(() => {
          resolve({kind: 'failed', why: `no ${what} within ${msMax / 1_000} s`});
          request.destroy();
        }, msMax);
      let timer = limit('connection');
      const write = async (): Promise<void> => {
        clearTimeout(timer);
        const content = await contentOf();
        if (request.destroyed) return;
        if (content === undefined) {
          resolve({kind: 'erased'});
          request.destroy();
          return;
        }
        timer = limit('answer');
        send(request, content);
      };
      request.on('socket', (socket) =>
        whenConnected(socket, isTls, () => {
          write().catch((error: Error) => {
            reject(error);
            request.destroy();
          });
        }),
      );
      request.on('response', (answer) => {
        resolve(this.outcomeOf(answer));
        void skip(answer).then((isWhole) => {
          clearTimeout(timer);
          if (!isWhole) request.destroy();
        });
      });
      // Emitted also when the connection ends without an answer, and after `destroy`.
      request.on('error', (error) => {
        clearTimeout(timer);
        const isStale = request.reusedSocket && closedCodes.has((error as NodeJS.ErrnoException).code);
        resolve(isStale ? undefined : {kind: 'failed', why: whyOf(error)});
      });
    });
  }

  private outcomeOf({statusCode: status = 0, headers}: IncomingMessage): Outcome {
    if (status >= 200 && status < 300) return {kind: 'delivered', status};
    if (status === 410) return {kind: 'gone', status};
    const waitMs =
      status === 429 || status === 503 ? retryAfterMs(headers['retry-after'], this.options.wallMs()) : undefined;
    return {kind: 'failed', status, ...(waitMs !== undefined && {waitMs})};
  }

  close(): void {
    this.http.destroy();
    this.https.destroy();
  }
}

/** Calls `then` when the socket is connected; one that is reused is. */
function whenConnected(socket: Socket, isTls: boolean, then: () => void): void {
  if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', then);
  else then();
}

function send(request: ClientRequest, {headers, body}: Content): void {
  const bytes = Buffer.from(body);
  const all = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(bytes.length),
    'user-agent': 'Millrace-Webhooks/1',
    accept: '*/*',
    ...headers,
  };
  for (const [name, value] of Object.entries(all)) request.setHeader(name, value);
  request.end(bytes);
}

/** Reads an answer to its end, so that the connection can be reused. False: the answer is too long, or breaks off. PO2 */
function skip(answer: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    let bytes = 0;
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > answerBytesMax) resolve(false);
    });
    answer.on('end', () => resolve(true));
    answer.on('error', () => resolve(false));
    answer.on('close', () => resolve(false));
  });
}

function whyOf(error: NodeJS.ErrnoException): string {
  if (error instanceof RefusedAddress) return error.message;
  // The code alone is told: messages of TLS errors quote the certificate.
  return error.code === undefined ? 'the connection failed' : `the connection failed (${error.code})`;
}
