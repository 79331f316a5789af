// The HTTP client of tests, benches and tools. On node:http, because fetch normalises paths, forbids headers, decompresses
// bodies, and adds a millisecond to each answer.
//   HC1. Path, headers and body are sent as the caller gives them.
//   HC2. The service closes a connection that is idle for 8 to 12 s. The client closes it before, so that no request meets that
//        close on its way.

import {Agent, type IncomingHttpHeaders, type IncomingMessage, request} from 'node:http';
import type {Socket} from 'node:net';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** @throws SyntaxError when the body is not JSON. */
  json<T = Record<string, unknown>>(): T;
}

export interface HttpRequest {
  readonly body?: string | Buffer | undefined;
  /** A body that is sent as compact JSON with its content type. */
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>> | undefined;
}

export interface HttpClientOptions {
  /** Sent as a bearer token; absent: no Authorization header. */
  readonly key?: string | undefined;
  readonly connectionsMax?: number;
  /** A request fails with the code ETIMEDOUT when no byte comes for so long. */
  readonly silentMsMax?: number;
}

/** A report has 60 s. */
const silentMsDefault = 90_000;
/** HC2 */
const idleMsMax = 4_000;

export class HttpClient {
  private readonly agent: Agent;
  private readonly idleSinceMs = new WeakMap<Socket, number>();

  constructor(
    readonly baseUrl: string,
    private readonly options: HttpClientOptions = {},
  ) {
    const {connectionsMax = Number.POSITIVE_INFINITY} = options;
    this.agent = new Agent({keepAlive: true, noDelay: true, maxSockets: connectionsMax});
    this.agent.on('free', (socket: Socket) => this.idleSinceMs.set(socket, performance.now()));
  }

  get(path: string, headers?: HttpRequest['headers']): Promise<HttpAnswer> {
    return this.send('GET', path, {headers});
  }

  /** Rejects with the socket's error when no whole answer comes. */
  async send(method: string, path: string, sent: HttpRequest = {}): Promise<HttpAnswer> {
    const {silentMsMax = silentMsDefault} = this.options;
    const incoming = await this.open(method, path, sent, silentMsMax);
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const bytes = Buffer.concat(pieces);
    const text = bytes.toString('utf8');
    return {
      status: incoming.statusCode!,
      headers: incoming.headers,
      bytes,
      text,
      json: <T>() => JSON.parse(text) as T,
    };
  }

  /** Resolves with the head of the answer; the caller reads its body. `silentMsMax` 0: no bound. */
  open(method: string, path: string, sent: HttpRequest = {}, silentMsMax = 0): Promise<IncomingMessage> {
    this.closeIdleConnections();
    const {hostname, port} = new URL(this.baseUrl);
    const body = sent.json === undefined ? sent.body : JSON.stringify(sent.json);
    const headers = {
      ...(this.options.key === undefined ? {} : {authorization: `Bearer ${this.options.key}`}),
      ...(sent.json === undefined ? {} : {'content-type': 'application/json'}),
      ...(body === undefined ? {} : {'content-length': String(Buffer.byteLength(body))}),
      ...sent.headers,
    };
    return new Promise((resolve, reject) => {
      const call = request({hostname, port, path, method, headers, agent: this.agent, timeout: silentMsMax}, resolve);
      call.on('timeout', () => {
        const late = new Error(`${method} ${path}: no byte within ${silentMsMax} ms`);
        call.destroy(Object.assign(late, {code: 'ETIMEDOUT'}));
      });
      call.on('error', reject);
      call.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }

  /** HC2 */
  private closeIdleConnections(): void {
    const staleMs = performance.now() - idleMsMax;
    for (const socket of Object.values(this.agent.freeSockets).flatMap((sockets) => sockets ?? [])) {
      if ((this.idleSinceMs.get(socket) ?? staleMs) <= staleMs) socket.destroy();
    }
  }
}

/** One request, over its own connection. */
export async function ask(
  url: string,
  {method = 'GET', ...rest}: HttpRequest & HttpClientOptions & {readonly method?: string} = {},
): Promise<HttpAnswer> {
  const {origin, pathname, search} = new URL(url);
  const client = new HttpClient(origin, rest);
  return client.send(method, pathname + search, rest).finally(() => client.close());
}
