// One request and its one answer.
//   X1. It ends once: answered, or aborted by the client. Whatever comes later finds it over.
//   X2. Nothing of uWebSockets.js' request object is read after the handler returned: all that matters is copied here.
//   X3. Every write is corked, so that an answer is one segment.
//   X4. No answer leaves in the turn that read its request. uWebSockets.js closes a connection on which a request comes
//       while the last one is unanswered; with an answer it would read on behind it, and bytes that a proxy took for part
//       of this request, or that follow one that ends its connection, would be read as a request of their own.
//   X5. A chunked request is the last one of its connection: the parser takes forms of chunks that others read
//       differently, so where such a body ends is nothing to build a next request on.
import type {HttpRequest, HttpResponse} from 'uWebSockets.js';
import {errorValue, type Failure, type Header, statusOf} from './failure.js';
import {atTurnEnd, isSameTurn, noteTurn} from './turn.js';

const jsonType = 'application/json; charset=utf-8';

export interface ExchangeHost {
  /** Whether connections end with their next answer. */
  closesConnections(): boolean;
  exchangeOver(): void;
}

export class Exchange {
  readonly res: HttpResponse;
  readonly method: string;
  /** Undecoded. */
  readonly path: string;
  /** Undecoded, without the question mark. */
  readonly query: string;
  authorization: string | undefined;
  contentType = '';
  contentEncoding = '';
  contentLength: string | undefined;
  transferEncoding: string | undefined;
  ifNoneMatch: string | undefined;
  /** A header that must not stand twice does. */
  isFramingAmbiguous = false;
  /** POST of a write route: every answer may be read by every origin (API.md, CORS). */
  isCorsOpen = false;
  /** It has its answer (which may wait for the end of the turn, X4), or will never have one. */
  isOver = false;
  private isGone = false;
  private turn: number;
  private whenOver: (() => void) | undefined;
  private readonly host: ExchangeHost;

  constructor(res: HttpResponse, req: HttpRequest, host: ExchangeHost) {
    this.res = res;
    this.method = req.getCaseSensitiveMethod();
    this.path = req.getUrl();
    this.query = req.getQuery() ?? '';
    this.host = host;
    this.turn = noteTurn();
    receiving = this;
    req.forEach(receiveHeader);
  }

  /** Told when the exchange is over, for whatever reason. One listener. */
  onOver(whenOver: () => void): void {
    this.whenOver = whenOver;
  }

  /** A piece of the body came. */
  noteData(): void {
    this.turn = noteTurn();
  }

  /** The client is gone. */
  abort(): void {
    if (this.isGone) return;
    this.end();
    this.leave();
  }

  /** Ends the connection without an answer. */
  close(): void {
    this.res.close();
  }

  receiveHeader(name: string, value: string): void {
    switch (name) {
      case 'authorization':
        // Two of them name no key.
        this.authorization = this.authorization === undefined ? value : 'repeated';
        break;
      case 'content-type':
        this.contentType = value;
        break;
      case 'content-encoding':
        this.contentEncoding = value;
        break;
      case 'content-length':
        if (this.contentLength !== undefined) this.isFramingAmbiguous = true;
        this.contentLength = value;
        break;
      case 'transfer-encoding':
        if (this.transferEncoding !== undefined) this.isFramingAmbiguous = true;
        this.transferEncoding = value;
        break;
      case 'if-none-match':
        this.ifNoneMatch = value;
    }
  }

  /** `body` is JSON text. */
  json(status: string, body: string, headers?: readonly Header[]): void {
    this.answer(status, jsonType, body, headers);
  }

  fail(failure: Failure, closes = false): void {
    this.answer(
      statusOf[failure.code],
      jsonType,
      JSON.stringify({error: errorValue(failure)}),
      failure.headers,
      closes,
    );
  }

  /** `contentType` undefined: an answer without a body (204, 304). */
  answer(
    status: string,
    contentType: string | undefined,
    body: string,
    headers?: readonly Header[],
    closes = false,
  ): void {
    if (this.isOver) return; // X1
    this.end();
    if (isSameTurn(this.turn))
      atTurnEnd(() => this.write(status, contentType, body, headers, closes)); // X4
    else this.write(status, contentType, body, headers, closes);
  }

  private write(
    status: string,
    contentType: string | undefined,
    body: string,
    headers: readonly Header[] | undefined,
    closes: boolean,
  ): void {
    if (this.isGone) return;
    writing.exchange = this;
    writing.status = status;
    writing.contentType = contentType;
    writing.body = body;
    writing.headers = headers;
    writing.closes = closes || this.isLastOfConnection();
    this.res.cork(writeAnswer); // X3
    this.leave();
  }

  /** A POST without a length has no body; that is as rare as a length that the parser did not see. */
  private isLastOfConnection(): boolean {
    const hasLength = this.contentLength !== undefined || this.method !== 'POST';
    return !hasLength || this.transferEncoding !== undefined || this.host.closesConnections(); // X5
  }

  /** Nothing that comes now can become its answer. */
  private end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.whenOver?.();
  }

  private leave(): void {
    this.isGone = true;
    this.host.exchangeOver();
  }
}

// `forEach` and `cork` call back before they return, so one function and one slot each serve all exchanges: a closure
// for every request is what the hot path can do without.
let receiving: Exchange | undefined;
function receiveHeader(name: string, value: string): void {
  receiving!.receiveHeader(name, value);
}

interface Writing {
  exchange: Exchange | undefined;
  status: string;
  contentType: string | undefined;
  body: string;
  headers: readonly Header[] | undefined;
  closes: boolean;
}
const writing: Writing = {
  exchange: undefined,
  status: '',
  contentType: undefined,
  body: '',
  headers: undefined,
  closes: false,
};

function writeAnswer(): void {
  const {exchange, status, contentType, body, headers, closes} = writing;
  const {res, method, isCorsOpen} = exchange!;
  res.writeStatus(status);
  if (contentType !== undefined) res.writeHeader('Content-Type', contentType);
  if (isCorsOpen) res.writeHeader('Access-Control-Allow-Origin', '*');
  if (headers !== undefined) for (const [name, value] of headers) res.writeHeader(name, value);
  if (contentType !== undefined && method !== 'HEAD') res.end(body, closes);
  else endWithoutBody(res, contentType === undefined ? undefined : Buffer.byteLength(body), closes);
}

/** uWebSockets.js 20.51 sends nothing at all when its own `endWithoutBody` gets an argument. */
function endWithoutBody(res: HttpResponse, bodyBytes: number | undefined, closes: boolean): void {
  if (bodyBytes !== undefined) res.writeHeader('Content-Length', String(bodyBytes));
  if (closes) res.writeHeader('Connection', 'close');
  res.endWithoutBody();
}
