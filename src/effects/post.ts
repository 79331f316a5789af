// One attempt: a POST, and what its answer means.
//   PO1. A redirect is a failure: what it names was judged by nobody.
//   PO2. At most 64 KiB of an answer are read, and nothing of it is kept: it may be anything.
//   PO3. The status decides, once it is there; a receiver has 15 s for it, and for all of its answer.
import {Agent as HttpAgent, request as httpRequest, type IncomingMessage} from 'node:http';
import {Agent as HttpsAgent, request as httpsRequest} from 'node:https';
import {type Addresses, RefusedAddress} from './addresses.js';
import {retryAfterMs} from './schedule.js';

const attemptMsMax = 15_000;
const answerBytesMax = 64 * 1024;
/** Sockets to one receiver. */
export const socketsMax = 8;
export const socketsOfAllMax = 256;
const idleMsMax = 30_000;

export type Outcome =
  | {readonly kind: 'delivered'; readonly status: number}
  /** The receiver wants no more messages. */
  | {readonly kind: 'gone'; readonly status: 410}
  /** `waitMs`: the receiver's `Retry-After`. */
  | {readonly kind: 'failed'; readonly status: number; readonly waitMs?: number}
  /** No answer. `why`: in words, without anything that the receiver said. */
  | {readonly kind: 'failed'; readonly why: string};

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
  private readonly http: HttpAgent;
  private readonly https: HttpsAgent;

  constructor(options: PostOptions) {
    this.options = options;
    const {lookup} = options.addresses;
    const sockets = {
      keepAlive: true,
      maxSockets: socketsMax,
      maxTotalSockets: socketsOfAllMax,
      maxFreeSockets: socketsMax,
      timeout: idleMsMax,
      lookup,
    };
    this.http = new HttpAgent(sockets);
    this.https = new HttpsAgent(options.ca === undefined ? sockets : {...sockets, ca: options.ca});
  }

  /** Makes one attempt. Never rejects. `headers`: added to those of the body. */
  async post(target: string, headers: Readonly<Record<string, string>>, body: string): Promise<Outcome> {
    const {addresses, msMax = attemptMsMax} = this.options;
    const fault = addresses.faultOf(target);
    if (fault !== undefined) return {kind: 'failed', why: fault};
    const url = new URL(target);
    const isTls = url.protocol === 'https:';
    const bytes = Buffer.from(body);
    const ask = isTls ? httpsRequest : httpRequest;
    return new Promise((resolve) => {
      const request = ask(url, {
        method: 'POST',
        agent: isTls ? this.https : this.http,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'content-length': String(bytes.length),
          'user-agent': 'Millrace-Webhooks/1',
          accept: '*/*',
          ...headers,
        },
      });
      const timer = setTimeout(() => {
        resolve({kind: 'failed', why: `no answer within ${msMax / 1_000} s`});
        request.destroy();
      }, msMax);
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
        resolve({kind: 'failed', why: whyOf(error)});
      });
      request.end(bytes);
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
  // Only the code: messages of TLS errors quote the certificate.
  return error.code === undefined ? 'the connection failed' : `the connection failed (${error.code})`;
}
