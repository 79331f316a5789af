// Plain HTTP to the service. A request that gets no answer is a value here, not an exception: it is what we are after.

import {Agent, type IncomingHttpHeaders, request} from 'node:http';

export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** `why`: the code of the socket's error. */
export interface Lost {
  readonly kind: 'lost';
  readonly why: string;
}

// Longer than every deadline of the service: a request that takes this long is a fault, and shows as `ETIMEDOUT`.
const requestMsMax = 40_000;

export class Http {
  private readonly agent = new Agent({keepAlive: true});

  constructor(
    private readonly port: number,
    private readonly key: string,
  ) {}

  send(method: string, path: string, json?: unknown): Promise<Answer | Lost> {
    const body = json === undefined ? undefined : JSON.stringify(json);
    const headers = {
      authorization: `Bearer ${this.key}`,
      ...(body === undefined
        ? {}
        : {'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body))}),
    };
    return new Promise((resolve) => {
      const lost = (error: NodeJS.ErrnoException): void => resolve({kind: 'lost', why: error.code ?? error.message});
      const call = request(
        {host: '127.0.0.1', port: this.port, method, path, headers, agent: this.agent, timeout: requestMsMax},
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', lost);
          incoming.on('end', () =>
            resolve({
              kind: 'answer',
              status: incoming.statusCode!,
              headers: incoming.headers,
              text: Buffer.concat(chunks).toString('utf8'),
            }),
          );
        },
      );
      call.on('timeout', () => call.destroy(Object.assign(new Error('timeout'), {code: 'ETIMEDOUT'})));
      call.on('error', lost);
      call.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
