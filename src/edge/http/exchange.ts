// One request and its one answer.
//   X1. It ends once: answered, or aborted by the client. Later calls do nothing.
//   X2. The request object of uWebSockets.js is not read after the handler returned: the exchange copies what it needs.
//   X3. Every write is corked, so that an answer is one segment.
//   X4. No answer leaves in the turn that read its request. uWebSockets.js closes a connection on which a request arrives while
//       the last one is unanswered. After an answer it would read on, and bytes that a proxy took for part of this request, or
//       that follow a request that ends its connection, would become a request of their own.
//   X5. A chunked request is the last one of its connection: the parser accepts forms of chunks that others read differently, so
//       the next request might begin elsewhere for a proxy.
//   X6. The part of an answer that the client does not read at once waits here, within a bound (unread-answers.ts): `tryEnd`
//       writes it, as uWebSockets.js' own `end` and `endWithoutBody` buffer everything, answer after answer.
//   X7. Calls after the handler returned run in `guard`: an error there ends this exchange alone, not the process or other calls.
//   X8. An answer is UTF-8: uWebSockets.js writes half of a surrogate pair as bytes that are none. JSON escapes each half.

import type {Commit, CommitWaiter} from '../../ingest/log-message.js';
import {newStop} from '../../pacing/stop.js';
import {
  type ErrorCode,
  errorValue,
  type Failure,
  type Header,
  type RefusalForm,
  RequestFailure,
  statusOf,
} from '../failure.js';
import {type Head, writeHead} from './answer-head.js';
import {Caller} from './caller.js';
import {addressOfBytes} from './client-address.js';
import {
  compressedCharactersMin,
  type EncodedAnswer,
  encodedAnswer,
  headersOfUnchanged,
  isCompressible,
} from './compressed-answer.js';
import type {Deadlines} from './deadlines.js';
import type {CountedRoute, ExchangeCounts} from './exchange-counts.js';
import {isPagePath, type PageRequest, readPageRequest} from './page-request.js';
import {type RequestIds, readRequestId} from './request-id.js';
import {StreamAnswer} from './stream-answer.js';
import type {HttpRequest, HttpResponse} from './transport.js';
import {atTurnEnd, isSameTurn, noteTurn} from './turn.js';
import {hasRoomForAnswer, tooManyAnswers, UnreadAnswer} from './unread-answers.js';

export const jsonType = 'application/json; charset=utf-8';
const ok = '200 OK';
const internalError: Failure = {
  code: 'internal_error',
  message: 'internal error: the log of the service has the details',
};

/** Answers of this size do not begin when too many bytes of answers are unread already. */
const largeAnswerCharactersMin = 64 * 1024;
const exposedHeaders: Header = ['Access-Control-Expose-Headers', 'Retry-After, RateLimit, RateLimit-Policy'];
const mayHaveBody = (method: string): boolean => method === 'POST' || method === 'PUT' || method === 'PATCH';
const isRetryAfter = ([name]: Header): boolean => name === 'Retry-After';

/** The request that a preflight announces; empty texts where it names nothing. */
export interface Preflight {
  readonly method: string;
  readonly headers: string;
}

export interface ExchangeHost {
  readonly deadlines: Deadlines;
  readonly monotonicMs: () => number;
  /** Monotonic ms, read once a turn (turn.ts). */
  readonly turnMs: () => number;
  /** Whether connections end with their next answer. */
  closesConnections(): boolean;
  exchangeOver(): void;
  /** Admits a request that came without a key in its head. */
  admitByBody(exchange: Exchange, key: string | undefined): Failure | undefined;
  /** Logs a bug. `doing` says what threw; the line has only the id of the exchange. */
  fault(exchange: Exchange, doing: string, error: unknown): void;
  readonly requestIds: RequestIds;
  /** In lower case; undefined: no header says the country of a client. */
  readonly countryHeader?: string | undefined;
  readonly traffic: ExchangeCounts;
  /** Takes refused events, by the id of the key that sent them. */
  readonly rejected: {add(code: ErrorCode, keyId: string, failure: Failure): void};
}

/** Answers an exchange once its entries are in the log, or refused by it. */
export interface CommitAnswer {
  settled(exchange: Exchange, commit: Commit): void;
}

/**
 * The fields that an answer needs come first: hundreds of exchanges wait for one log message, and each has left the processor's
 * cache by the time of its answer.
 */
export class Exchange implements CommitWaiter {
  readonly res: HttpResponse;
  readonly method: string;
  /** The exchange has its answer (which may wait for the end of the turn, X4), or will never have one. */
  isOver = false;
  /** Every origin may read the answer (docs/api/events.md, Browsers). */
  isCorsOpen = false;
  /** The only origin that may, with its credentials (cors.ts). */
  echoedOrigin: string | undefined;
  /** The connection is not read. */
  isPaused = false;
  private isGone = false;
  private turn: number;
  /** Undefined until the route is found, and for a path that does not exist. */
  route: CountedRoute | undefined;
  /** Form of a refusal, where libraries of another service expect their own. */
  refusalForm: RefusalForm | undefined;
  private readonly host: ExchangeHost;
  private commitAnswer: CommitAnswer | undefined;
  private whenOver: (() => void) | undefined;
  private unread: UnreadAnswer | undefined;
  private streamed: StreamAnswer | undefined;
  private stop: AbortController | undefined;
  readonly caller: Caller;
  contentLength: string | undefined;
  transferEncoding: string | undefined;
  /** Monotonic ms of the turn that read the head. */
  readonly receivedMs: number;
  /** Undecoded. */
  readonly path: string;
  /** Undecoded, without the question mark. */
  readonly query: string;
  authorization: string | undefined;
  /** The header in which a library sends its key: X-Write-Key, Openpanel-Client-Id. */
  libraryKey: string | undefined;
  userAgent = '';
  contentType = '';
  contentEncoding = '';
  /** `contentLength` as a number; 0 without a body, NaN for a text that is no number. */
  declaredBytes = 0;
  /** Tags without `W/`: they are compared weakly. */
  ifNoneMatch: string | undefined;
  private hasWeakTag = false;
  ifMatch: string | undefined;
  minLogPosition: string | undefined;
  acceptEncoding = '';
  /** Set for a preflight. */
  readonly preflight: Preflight | undefined;
  /** Set for a request to the dashboard, and for settings of a project. */
  readonly page: PageRequest | undefined;
  /** It changes nothing, although it has a body. */
  isQuestion = false;
  /** An id that does not exist is answered with 200 and the API's body. */
  isAbsenceAnswered = false;
  /** X-Forwarded-For, trusted or not. */
  forwardedFor = '';
  /** X-Forwarded-Prefix, trusted or not. */
  forwardedPrefix = '';
  /** The header that says the client's country (COUNTRY_HEADER), trusted or not. */
  country = '';
  /** Headers of the Model Context Protocol (src/edge/mcp). */
  mcpHeaders: readonly Header[] | undefined;
  /** `Origin`: the page that asks, as a browser sends it. */
  origin: string | undefined;
  /** A header that must occur once occurs twice. */
  isFramingAmbiguous = false;
  /** The client reads no further answer on this connection. */
  isLastByClient = false;
  /** X-Request-Id as the client sent it. */
  private sentId = '';
  /** Id of the request (request-id.ts), made on first use. */
  private id: string | undefined;

  /** `method` and `path` are passed where they are known: reading them from the request makes strings. */
  constructor(
    res: HttpResponse,
    req: HttpRequest,
    host: ExchangeHost,
    method = req.getCaseSensitiveMethod(),
    path = req.getUrl(),
  ) {
    this.res = res;
    this.method = method;
    this.path = path;
    this.query = req.getQuery() ?? '';
    this.preflight = method === 'OPTIONS' ? preflightOf(req) : undefined;
    this.page = isPagePath(path) ? readPageRequest(req) : undefined;
    this.host = host;
    this.receivedMs = host.turnMs();
    this.caller = new Caller(this.receivedMs);
    this.turn = noteTurn();
    receiving = this;
    req.forEach(receiveHeader);
  }

  /** Makes this exchange wait for its entries: `answer` is called for each message that carries some of them. */
  awaitCommit(answer: CommitAnswer): CommitWaiter {
    this.commitAnswer = answer;
    return this;
  }

  settled(commit: Commit): void {
    try {
      this.commitAnswer!.settled(this, commit);
    } catch (error) {
      this.failed('answering what the log took', error); // X7
    }
  }

  /** Runs `run`, and ends the exchange if it throws. `doing` names it in the log. X7 */
  guard(doing: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.failed(doing, error);
    }
  }

  /** Work for this exchange threw: a refusal, or a bug. */
  failed(doing: string, error: unknown): void {
    if (error instanceof RequestFailure) {
      this.fail(error.failure);
      return;
    }
    const wasOver = this.isOver;
    if (!this.isGone) this.host.fault(this, doing, error);
    try {
      if (!wasOver) this.fail(internalError, true);
    } catch (second) {
      this.host.fault(this, 'answering a fault', second);
    }
    if (wasOver || !this.isOver) this.breakOff();
  }

  /** Ends the connection: some of an answer may have left, so that a client could not tell a further answer from it. */
  private breakOff(): void {
    if (this.isGone) return;
    try {
      this.res.close(); // `abort` follows.
    } catch (second) {
      // uWebSockets.js throws when it had ended the connection before.
      this.host.fault(this, 'breaking off an answer', second);
    }
    if (!this.isGone) this.leave();
  }

  /** Id of the request, for log lines and answers. */
  requestId(): string {
    this.id ??= readRequestId(this.sentId) ?? this.host.requestIds.next();
    return this.id;
  }

  /** Address of the other end of the connection, which may be a proxy (client-address.ts). Empty when it is closed. */
  peerAddress(): string {
    return this.isGone ? '' : addressOfBytes(new Uint8Array(this.res.getRemoteAddress()));
  }

  /** Calls `whenOver` when the exchange is over, for any reason. One listener. */
  onOver(whenOver: () => void): void {
    this.whenOver = whenOver;
  }

  /** Aborted once the client has left, or has its answer. */
  get gone(): AbortSignal {
    this.stop ??= newStop();
    if (this.isGone) this.stop.abort();
    return this.stop.signal;
  }

  get traffic(): ExchangeCounts {
    return this.host.traffic;
  }

  get deadlines(): Deadlines {
    return this.host.deadlines;
  }

  /** Monotonic ms. */
  get nowMs(): number {
    return this.host.monotonicMs();
  }

  /** Admits the request by the key in its body. @returns the refusal. */
  admitByBody(key: string | undefined): Failure | undefined {
    const refusal = this.host.admitByBody(this, key);
    if (refusal === undefined) this.caller.chargeBodyRead();
    return refusal;
  }

  /** Restarts the 10 s after which uWebSockets.js ends a connection whose body comes too slowly. */
  renewTimeout(): void {
    this.guard('renewing a timeout', () => {
      this.res.pause();
      if (!this.isPaused) this.res.resume();
    });
  }

  /** Stops reading the connection, until `resume` or the answer. */
  pause(): void {
    this.isPaused = true;
    this.guard('pausing a connection', () => this.res.pause());
  }

  resume(): void {
    this.isPaused = false;
    this.guard('reading a connection on', () => this.res.resume());
  }

  /** A piece of the body arrived. */
  noteData(): void {
    this.turn = noteTurn();
  }

  /** The client has left. */
  abort(): void {
    if (this.isGone) return;
    if (!this.isOver) this.host.traffic.unanswered += 1;
    try {
      this.end();
    } catch (error) {
      this.host.fault(this, 'giving up a request', error); // X7
    }
    this.leave();
  }

  /** Ends the connection without an answer. */
  close(): void {
    this.guard('closing a connection', () => this.res.close());
  }

  receiveHeader(name: string, value: string): void {
    switch (name) {
      case 'authorization':
        // Two headers name no key.
        this.authorization = this.authorization === undefined ? value : 'repeated';
        break;
      case 'x-write-key':
      case 'openpanel-client-id':
        this.libraryKey = this.libraryKey === undefined ? value : 'repeated';
        break;
      case 'user-agent':
        this.userAgent = joined(this.userAgent, value);
        break;
      case 'content-type':
        this.contentType = joined(this.contentType, value);
        break;
      case 'content-encoding':
        this.contentEncoding = joined(this.contentEncoding, value);
        break;
      case 'content-length':
        if (this.contentLength !== undefined) this.isFramingAmbiguous = true;
        this.contentLength = value;
        this.declaredBytes = wholeNumber(value);
        break;
      case 'transfer-encoding':
        if (this.transferEncoding !== undefined) this.isFramingAmbiguous = true;
        this.transferEncoding = value;
        break;
      case 'if-none-match':
        this.hasWeakTag ||= value.includes('W/"');
        this.ifNoneMatch = joined(this.ifNoneMatch ?? '', value.replaceAll('W/"', '"'));
        break;
      case 'if-match':
        this.ifMatch = joined(this.ifMatch ?? '', value);
        break;
      case 'min-log-position':
        this.minLogPosition = joined(this.minLogPosition ?? '', value);
        break;
      case 'accept-encoding':
        this.acceptEncoding = joined(this.acceptEncoding, value);
        break;
      case 'connection':
        this.isLastByClient = this.isLastByClient || value.toLowerCase().includes('close');
        break;
      case 'x-request-id':
        this.sentId = joined(this.sentId, value);
        break;
      case 'origin':
        this.origin = joined(this.origin ?? '', value);
        break;
      case 'x-forwarded-for':
        this.forwardedFor = joined(this.forwardedFor, value);
        break;
      case 'x-forwarded-prefix':
        this.forwardedPrefix = joined(this.forwardedPrefix, value);
        break;
      default:
        if (name === this.host.countryHeader) this.country = joined(this.country, value);
        else if (name.startsWith('mcp-')) this.mcpHeaders = [...(this.mcpHeaders ?? []), [name, value]];
    }
  }

  /** `body` is JSON text. */
  json(status: string, body: string, headers?: readonly Header[]): void {
    this.answer(status, jsonType, body, headers);
  }

  fail(failure: Failure, closes = false): void {
    const {headers} = failure;
    // Pages of other origins may read when to retry.
    const exposed = this.isCorsOpen && headers?.some(isRetryAfter) ? [...headers, exposedHeaders] : headers;
    this.failWith(failure, {}, exposed, closes);
  }

  /** `more`: fields next to the error. */
  failWith(failure: Failure, more: object, headers?: readonly Header[], closes = false): void {
    if (this.isOver) return; // X1
    const {traffic, rejected} = this.host;
    const {key} = this.caller;
    traffic.refused(failure.code, this.route);
    if (this.isCorsOpen) {
      const route = this.route === undefined ? undefined : (this.route.shownPath ?? this.path);
      traffic.refusalTap.note(failure.code, route, {field: failure.field, keyId: key?.id});
      if (key !== undefined) rejected.add(failure.code, key.id, failure);
    }
    const form = this.refusalForm?.(failure);
    const body = JSON.stringify(form?.body ?? {error: errorValue(failure), ...more});
    const status = form?.status ?? statusOf[failure.code];
    // Pages expect that snapshots are gone, and ask again: another status would leave a line in the browser's console.
    const isExpected = failure.code === 'snapshot_gone' && this.route?.isOfDashboard === true;
    const isAnswer = isExpected || (this.isAbsenceAnswered && status.startsWith('404'));
    this.answer(isAnswer ? '200 OK' : status, jsonType, body, headers, closes);
  }

  /** `contentType` undefined: an answer without a body (304). */
  answer(
    status: string,
    contentType: string | undefined,
    body: string | Buffer,
    headers?: readonly Header[],
    closes = false,
  ): void {
    if (this.isOver) return; // X1
    if (body.length >= largeAnswerCharactersMin && !hasRoomForAnswer(body.length)) {
      this.fail(tooManyAnswers);
      return;
    }
    this.host.traffic.answered(this.route, this.method, status, this.host.monotonicMs() - this.receivedMs);
    this.end();
    if (contentType === undefined)
      this.writeSoon(status, contentType, '', headersOfUnchanged(headers, this.hasWeakTag), closes);
    else if (body.length > compressedCharactersMin && this.isRead && isCompressible(status, headers))
      this.writeEncoded(encodedAnswer(this.acceptEncoding, body, headers), contentType, closes);
    else this.writeSoon(status, contentType, body, headers, closes);
  }

  private get isRead(): boolean {
    return this.method === 'GET' || this.method === 'HEAD' || this.isQuestion;
  }

  private writeEncoded(answer: EncodedAnswer | Promise<EncodedAnswer>, contentType: string, closes: boolean): void {
    if (answer instanceof Promise)
      answer.then(
        (made) => this.guard('writing a compressed answer', () => this.writeEncoded(made, contentType, closes)),
        (error: unknown) => this.failed('compressing an answer', error),
      );
    else this.writeSoon(ok, contentType, answer.body, answer.headers, closes);
  }

  /** X4 */
  private writeSoon(
    status: string,
    contentType: string | undefined,
    body: string | Buffer,
    headers: readonly Header[] | undefined,
    closes: boolean,
  ): void {
    if (isSameTurn(this.turn)) atTurnEnd(() => this.write(status, contentType, body, headers, closes), this);
    else this.write(status, contentType, body, headers, closes);
  }

  /**
   * Begins an answer without an end: its writer decides its content and its end. The exchange is over with this call, so that a
   * drain does not wait for it. `begin` gets the answer once its head is written; undefined: the client left before.
   */
  stream(contentType: string, headers: readonly Header[], begin: (answer: StreamAnswer | undefined) => void): void {
    if (this.isOver) return; // X1
    this.host.traffic.answered(this.route, this.method, ok, this.host.monotonicMs() - this.receivedMs);
    this.end();
    atTurnEnd(() => {
      if (this.isGone) {
        begin(undefined);
        return;
      }
      this.streamed = new StreamAnswer(this.res);
      this.host.exchangeOver();
      const head = {
        contentType,
        isCorsOpen: false,
        echoedOrigin: undefined,
        headers,
        requestId: this.requestId(),
        closes: true,
      };
      this.streamed.begin(() => writeHead(this.res, head));
      begin(this.streamed);
    }, this); // X4
  }

  private write(
    status: string,
    contentType: string | undefined,
    text: string | Buffer,
    headers: readonly Header[] | undefined,
    closes: boolean,
  ): void {
    if (this.isGone) return;
    const body = typeof text === 'string' && contentType !== jsonType ? text.toWellFormed() : text; // X8
    try {
      if (this.isPaused) this.resume(); // Requests after the answer are read again.
      writing.exchange = this;
      writing.status = status;
      writing.contentType = contentType;
      writing.isCorsOpen = this.isCorsOpen;
      writing.echoedOrigin = this.echoedOrigin;
      writing.body = body;
      writing.headers = this.caller.withRateFields(headers);
      writing.requestId = this.idOfAnswer(status);
      writing.closes = closes || this.isLastOfConnection();
      writing.isTaken = true;
      writing.error = undefined;
      this.res.cork(writeAnswer); // X3
      if (writing.error !== undefined) throw writing.error;
      if (writing.isTaken) this.leave();
      else this.awaitReader(body);
    } catch (error) {
      this.failed('writing an answer', error); // X7
    }
  }

  /** Accepted writes carry only an id that the client sent: there is no fault to look up, and each would pay for the line. */
  private idOfAnswer(status: string): string | undefined {
    return this.isCorsOpen && status === ok ? readRequestId(this.sentId) : this.requestId();
  }

  /** Continues the exchange until the client has read the rest of its answer, or has left. X6 */
  private awaitReader(body: string | Buffer): void {
    if (this.method === 'HEAD' || !hasRoomForAnswer(body.length)) {
      this.res.close();
      return;
    }
    this.unread = new UnreadAnswer(
      this,
      typeof body === 'string' ? Buffer.from(body) : body,
      this.host.monotonicMs(),
      () => this.leave(),
    );
    this.deadlines.add(this.unread);
  }

  /** Also true for a POST, PUT or PATCH without a length, which has no body: it is as rare as a length that the parser did not see. */
  private isLastOfConnection(): boolean {
    if (this.method === 'HEAD') return true; // X6
    const hasLength = this.contentLength !== undefined || !mayHaveBody(this.method);
    return !hasLength || this.isLastByClient || this.transferEncoding !== undefined || this.host.closesConnections(); // X5
  }

  /** Ends the exchange: no later call can answer it. */
  private end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.whenOver?.();
  }

  private leave(): void {
    this.isGone = true;
    this.stop?.abort();
    if (this.streamed !== undefined) {
      this.streamed.left();
      return;
    }
    if (this.unread !== undefined) {
      this.deadlines.delete(this.unread);
      this.unread.release();
    }
    this.host.exchangeOver();
  }
}

const preflightOf = (req: HttpRequest): Preflight => ({
  method: req.getHeader('access-control-request-method'),
  headers: req.getHeader('access-control-request-headers'),
});

/** RFC 9110, 5.3: a header that occurs twice is a list. */
const joined = (known: string, value: string): string => (known === '' ? value : `${known}, ${value}`);

// `forEach` and `cork` call back before they return, so one function and one slot each serve all exchanges: the hot path
// allocates no closure per request.
let receiving: Exchange | undefined;
function receiveHeader(name: string, value: string): void {
  receiving!.receiveHeader(name, value);
}

type Mutable<T> = {-readonly [Key in keyof T]: T[Key]};

interface Writing extends Mutable<Head> {
  exchange: Exchange | undefined;
  status: string;
  body: string | Buffer;
  /** Set by `writeAnswer`: the client's socket took all of it, and `res` is over. */
  isTaken: boolean;
  /** Thrown in `writeAnswer`; thrown again outside the native code that called it. */
  error: unknown;
}
const writing: Writing = {
  exchange: undefined,
  status: '',
  contentType: undefined,
  isCorsOpen: false,
  echoedOrigin: undefined,
  body: '',
  headers: undefined,
  requestId: undefined,
  closes: false,
  isTaken: true,
  error: undefined,
};

function writeAnswer(): void {
  try {
    writeWhole();
  } catch (error) {
    writing.error = error;
  }
}

function writeWhole(): void {
  const {exchange, status, contentType, body, closes} = writing;
  const {res, method} = exchange!;
  if (status !== ok) res.writeStatus(status); // uWebSockets.js writes 200 by itself.
  writeHead(res, writing);
  if (contentType === undefined) endWithoutBody(res, closes);
  else if (method === 'HEAD') writing.isTaken = beginHead(res, Buffer.byteLength(body));
  else if (closes && !isLargeRead(method, body)) {
    if (exchange!.isLastByClient) res.writeHeader('Connection', 'close'); // Otherwise `end` writes it.
    res.end(body, true);
  } else {
    if (closes) res.writeHeader('Connection', 'close');
    writing.isTaken = res.tryEnd(body, byteLengthOf(body))[1];
  }
}

/** Length of the newest body: most bodies equal the one before. */
const measured = {body: '', bytes: 0};
function byteLengthOf(body: string | Buffer): number {
  if (typeof body !== 'string') return body.length;
  if (body.length >= largeAnswerCharactersMin) return Buffer.byteLength(body);
  if (body !== measured.body) {
    measured.body = body;
    measured.bytes = Buffer.byteLength(body);
  }
  return measured.bytes;
}

/** NaN unless the text is digits alone, at least one. */
function wholeNumber(text: string): number {
  let value = text.length === 0 ? Number.NaN : 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    value = digit >= 0 && digit <= 9 ? value * 10 + digit : Number.NaN;
  }
  return value;
}

/**
 * The bytes that `end` cannot write at once would be lost in the close that ends a drain, or wait without a bound until then
 * (X6). An answer to a body has at most a line per event, and its connection must not be read on (X5).
 */
const isLargeRead = (method: string, body: string | Buffer): boolean =>
  method !== 'POST' && body.length >= largeAnswerCharactersMin;

/** uWebSockets.js 20.51 sends nothing when its own `endWithoutBody` gets an argument. */
function endWithoutBody(res: HttpResponse, closes: boolean): void {
  if (closes) res.writeHeader('Connection', 'close');
  res.endWithoutBody();
}

/**
 * The answer to a HEAD request ends its connection: without a body the edge cannot tell whether the client reads its answers.
 * X6
 */
function beginHead(res: HttpResponse, bodyBytes: number): boolean {
  res.writeHeader('Connection', 'close');
  return res.tryEnd('', bodyBytes)[1];
}
