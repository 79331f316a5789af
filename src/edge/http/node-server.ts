// The interface of transport.ts on node:http: slower than uWebSockets.js, but available wherever Node is.
//   N1. Node gets an answer whole, and buffers what the socket does not take. `tryEnd` is done once the socket has all of it, so
//       that the edge counts the bytes until then.
//   N2. Node's own handling of a second request after an unanswered one, and of HTTP/1.0, is switched off. T3, T4
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import {type AddressInfo, isIPv4, Server as NetServer, type Socket} from 'node:net';
import {
  type Handle,
  type HttpApp,
  type HttpRequest,
  type HttpResponse,
  headersBytesMax,
  idleMsMax,
  type Transport,
} from './transport.js';

export const nodeTransport: Transport = {name: 'node:http', newApp: () => new NodeApp()};

/** Interval of Node's checks for connections whose headers do not come. */
const headersLookMs = 2_000;
const noBytes = new ArrayBuffer(0);

class NodeApp implements HttpApp {
  private readonly server: Server;
  private readonly posts = new Map<string, Handle>();
  private handleAny: Handle = (res) => res.close();
  /** The newest answer of each connection. */
  private readonly answers = new WeakMap<Socket, NodeResponse>();

  constructor() {
    this.server = createServer({
      maxHeaderSize: headersBytesMax,
      connectionsCheckingInterval: headersLookMs,
      headersTimeout: idleMsMax,
      keepAliveTimeout: idleMsMax,
      requestTimeout: 0, // Bodies have their own deadlines.
    });
    this.server.timeout = idleMsMax;
    const receive = (message: IncomingMessage, answer: ServerResponse): void => this.receive(message, answer);
    this.server.on('request', receive);
    this.server.on('checkExpectation', receive);
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.refuse(error, socket as Socket));
  }

  post(path: string, handle: Handle): void {
    this.posts.set(path, handle);
  }

  any(handle: Handle): void {
    this.handleAny = handle;
  }

  onConnection(change: (by: 1 | -1, close: () => void) => void): void {
    this.server.on('connection', (socket) => {
      const close = (): void => void socket.destroy();
      socket.once('close', () => change(-1, close));
      change(1, close);
    });
  }

  listen(host: string, port: number): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException): void => {
        if (error.code === 'EADDRINUSE') resolve(undefined);
        else reject(error);
      };
      this.server.once('error', failed);
      this.server.listen({host, port, exclusive: true}, () => {
        this.server.off('error', failed);
        resolve((this.server.address() as AddressInfo).port);
      });
    });
  }

  stopListening(): void {
    // The `close` of node:http would cut idle connections on which a request may be on its way.
    if (this.server.listening) NetServer.prototype.close.call(this.server);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private receive(message: IncomingMessage, answer: ServerResponse): void {
    const {socket} = message;
    const before = this.answers.get(socket);
    if (before?.isLast || before?.isOver === false) {
      before.close(); // T3
      return;
    }
    const res = new NodeResponse(message, answer);
    this.answers.set(socket, res);
    const refusal = refusalOf(message);
    if (refusal !== undefined) {
      res.writeStatus(refusal);
      res.end('', true);
      return;
    }
    const req = new NodeRequest(message);
    const handle = message.method === 'POST' ? this.posts.get(req.getUrl()) : undefined;
    (handle ?? this.handleAny)(res, req);
  }

  /** Answers bytes that are no request. */
  private refuse({code}: NodeJS.ErrnoException, socket: Socket): void {
    const under = this.answers.get(socket);
    if (!socket.writable || under?.isLast || under?.isOver === false) {
      socket.destroy();
      return;
    }
    const status = code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    const isSilent = code === 'ERR_HTTP_REQUEST_TIMEOUT';
    if (isSilent) socket.destroy();
    else socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
  }
}

/** Requests that Node accepts and T4 refuses. */
function refusalOf({httpVersion, url, headersDistinct}: IncomingMessage): string | undefined {
  if (httpVersion !== '1.1') return '505 HTTP Version Not Supported';
  return url!.startsWith('/') && headersDistinct.host?.length === 1 ? undefined : '400 Bad Request';
}

class NodeRequest implements HttpRequest {
  private readonly path: string;
  private readonly query: string | undefined;

  constructor(private readonly message: IncomingMessage) {
    const url = message.url!;
    const mark = url.indexOf('?');
    this.path = mark === -1 ? url : url.slice(0, mark);
    this.query = mark === -1 ? undefined : url.slice(mark + 1);
  }

  getCaseSensitiveMethod(): string {
    return this.message.method!;
  }

  getUrl(): string {
    return this.path;
  }

  getQuery(): string | undefined {
    return this.query;
  }

  getHeader(name: string): string {
    return this.message.headersDistinct[name]?.[0] ?? '';
  }

  forEach(take: (name: string, value: string) => void): void {
    const {rawHeaders} = this.message;
    for (let i = 0; i < rawHeaders.length; i += 2) take(rawHeaders[i]!.toLowerCase(), rawHeaders[i + 1]!);
  }
}

class NodeResponse implements HttpResponse {
  /** The client has the whole answer, or has left. */
  isOver = false;
  /** The answer says that the connection ends after it. */
  isLast = false;
  private readonly message: IncomingMessage;
  private readonly answer: ServerResponse;
  private readonly socket: Socket;
  private status = '200 OK';
  private headers: string[] = [];
  private isEnded = false;
  private whenWritable: ((offset: number) => boolean) | undefined;
  private whenAborted: (() => void) | undefined;
  private receivedBytes = 0;

  constructor(message: IncomingMessage, answer: ServerResponse) {
    this.message = message;
    this.answer = answer;
    this.socket = message.socket;
    answer.on('close', () => this.left());
    answer.on('drain', () => {
      if (!this.isEnded) this.whenWritable?.(0); // An ended answer calls it once, when the socket has all of it.
    });
    answer.on('error', () => undefined); // `close` follows.
  }

  cork(write: () => void): void {
    write();
  }

  writeStatus(status: string): void {
    this.status = status;
  }

  writeHeader(name: string, value: string | Buffer): void {
    const [first, ...further] = value.toString().split('\r\n');
    this.headers.push(name, first!);
    for (const line of further) {
      const colon = line.indexOf(': ');
      this.headers.push(line.slice(0, colon), line.slice(colon + 2));
    }
  }

  write(piece: string | Buffer): boolean {
    if (!this.answer.headersSent) this.writeHead();
    return this.answer.write(piece);
  }

  end(body: string | Buffer = '', closes = false): void {
    if (closes && !this.headers.includes('Connection')) this.headers.push('Connection', 'close');
    if (!this.answer.headersSent) this.writeHead(Buffer.byteLength(body));
    this.finish(body);
  }

  endWithoutBody(): void {
    this.writeHead();
    this.finish('');
  }

  /** N1 */
  tryEnd(body: string | Buffer, total: number): [boolean, boolean] {
    if (!this.isEnded) {
      this.writeHead(total);
      this.finish(body, () => this.whenWritable?.(total));
    }
    return [this.isOver, this.isOver];
  }

  onWritable(handle: (offset: number) => boolean): void {
    this.whenWritable = handle;
  }

  onAborted(handle: () => void): void {
    this.whenAborted = handle;
  }

  onData(handle: (piece: ArrayBuffer, isLast: boolean) => void): void {
    const {message} = this;
    const length = Number(message.headers['transfer-encoding'] === undefined ? message.headers['content-length'] : 0);
    let hasEnded = false;
    message.on('data', (piece: Buffer) => {
      this.receivedBytes += piece.length;
      hasEnded = this.receivedBytes === length;
      handle(new Uint8Array(piece).buffer, hasEnded);
    });
    message.on('end', () => {
      if (!hasEnded) handle(noBytes, true);
    });
    // The edge waits for an announced body from here on.
    if (length > 0) setImmediate(() => this.receivedBytes === 0 && !this.isOver && handle(noBytes, false));
  }

  pause(): void {
    this.message.pause();
  }

  resume(): void {
    this.socket.setTimeout(idleMsMax);
    this.message.resume();
  }

  close(): void {
    this.socket.destroy();
    this.left();
  }

  getRemoteAddress(): ArrayBuffer {
    const {remoteAddress} = this.socket;
    return remoteAddress === undefined ? noBytes : bytesOfAddress(remoteAddress);
  }

  private writeHead(bodyBytes?: number): void {
    const space = this.status.indexOf(' ');
    this.isLast = this.headers.includes('Connection');
    if (bodyBytes !== undefined) this.headers.push('Content-Length', String(bodyBytes));
    this.answer.removeHeader('Connection'); // Node then adds none.
    this.answer.writeHead(Number(this.status.slice(0, space)), this.status.slice(space + 1), this.headers);
    if (bodyBytes === undefined) this.answer.flushHeaders();
  }

  private finish(body: string | Buffer, whenTaken?: () => void): void {
    this.isEnded = true;
    this.answer.end(body, () => {
      if (this.isOver) return;
      this.isOver = true;
      whenTaken?.();
    });
    if (this.socket.writableLength === 0) this.isOver = true;
    this.readOver();
  }

  /** Skips the rest of a body, which has as long as an idle connection. */
  private readOver(): void {
    const {message, socket} = this;
    if (message.complete) return;
    setTimeout(() => {
      if (!message.complete) socket.destroy();
    }, idleMsMax).unref();
  }

  /** T2 */
  private left(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.whenAborted?.();
  }
}

/** Bytes of `address`, which has the form of a socket's. */
function bytesOfAddress(address: string): ArrayBuffer {
  if (isIPv4(address)) return new Uint8Array(address.split('.').map(Number)).buffer;
  const [head, tail] = address.split('%')[0]!.split('::') as [string, string?];
  const groupsOf = (text: string): number[] =>
    text === ''
      ? []
      : text.split(':').flatMap((group) => {
          if (!group.includes('.')) return [Number.parseInt(group, 16)];
          const [a, b, c, d] = group.split('.').map(Number) as [number, number, number, number];
          return [(a << 8) | b, (c << 8) | d];
        });
  const [before, behind] = [groupsOf(head), groupsOf(tail ?? '')];
  const groups = [...before, ...new Array<number>(8 - before.length - behind.length).fill(0), ...behind];
  return new Uint8Array(groups.flatMap((group) => [group >> 8, group & 0xff])).buffer;
}
