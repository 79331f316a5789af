// POST over kept-alive connections, with a bound on time and on the size of the answer.

import {Agent as HttpAgent, request as httpRequest, type IncomingMessage} from 'node:http';
import {Agent as HttpsAgent, request as httpsRequest} from 'node:https';
import type {HttpAnswer} from './batch-answer.js';

/** The service's deadline for a body is 30 s, and its answer follows at once: after this time the connection counts as dead. */
const requestMsMax = 60_000;
/** Ten times a thousand refusals of some 300 bytes. */
const answerBytesMax = 4 * 1024 * 1024;

export interface HttpPoster {
  post(body: Buffer): Promise<HttpAnswer>;
  /** Closes the kept connections, and ends requests that still wait. */
  close(): void;
}

export function createPoster(url: URL, key: string, connections: number): HttpPoster {
  const isSecure = url.protocol === 'https:';
  const agentOptions = {keepAlive: true, maxSockets: connections};
  const agent = isSecure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const request = isSecure ? httpsRequest : httpRequest;
  const closing = new AbortController();
  return {
    post: (body) =>
      new Promise((resolve, reject) => {
        const outgoing = request(url, {
          agent,
          method: 'POST',
          signal: AbortSignal.any([closing.signal, AbortSignal.timeout(requestMsMax)]),
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': 'application/json',
            'content-length': body.length,
          },
        });
        outgoing.once('error', reject);
        outgoing.once('response', (incoming) => readAnswer(incoming).then(resolve, reject));
        outgoing.end(body);
      }),
    close() {
      closing.abort();
      agent.destroy();
    },
  };
}

async function readAnswer(incoming: IncomingMessage): Promise<HttpAnswer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of incoming) {
    bytes += (piece as Buffer).length;
    if (bytes > answerBytesMax) throw new Error(`the answer is longer than ${answerBytesMax} bytes`);
    pieces.push(piece as Buffer);
  }
  return {
    status: incoming.statusCode!,
    retryAfterSeconds: secondsOf(incoming.headers['retry-after']),
    body: Buffer.concat(pieces).toString('utf8'),
  };
}

/** A date in `Retry-After` is ignored: it would need both clocks to agree. */
function secondsOf(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,5}$/.test(header.trim()) ? Number(header) : null;
}
