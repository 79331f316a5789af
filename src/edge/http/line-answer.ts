// An answer of lines, one JSON text each: as many as there are, in memory that does not depend on how many. They are sent as they
// are (NDJSON), or in the form of another file.
//   LA1. One page of lines is held at a time, or what the form holds. The next one is asked for once the client has taken the last:
//        a client that reads slowly gets pages that are made when it reads them, and small ones.
//   LA2. The last line is `{"end":true,"events":n}`. After a failure it is the error in its place, or nothing where the
//        connection broke. Such an answer has no end in HTTP either: a client that looks at no line takes it for cut, too.
//   LA3. A client that takes nothing for `unreadMsMax` is cut off; one that has left ends the reading of pages.
//   LA4. Callers have a number of answers each, so that none of them takes those of the others.
import {constants, createGzip, type Gzip} from 'node:zlib';
import {assert} from '../../../actors/invariant.js';
import {replyBytesMax} from '../../asks/subjects.js';
import {errorValue, type Failure, type Header, RequestFailure, retryAfter, unavailable} from '../failure.js';
import {encodingFor} from './accept-encoding.js';
import type {Exchange} from './exchange.js';
import type {StreamAnswer} from './stream-answer.js';

/** Bytes of a page; they double while the client takes each page at once. LA1 */
const pageBytesMin = 32 * 1024;
export const pageBytesMax = 432 * 1024;
assert(pageBytesMax < replyBytesMax, 'a reply carries a page');
const unreadMsMax = 30_000;
/** Well within the 8 s after which uWebSockets.js ends an idle connection. */
const renewEveryMs = 3_000;
/** Answers of lines at a time: each holds a page or two. LA4 */
const answersMax = 16;
const answersOfCallerMax = 8;

/** Callers of the answers now. */
const answersNow: string[] = [];
const begun = (caller: string): void => void answersNow.push(caller);
const ended = (caller: string): void => void answersNow.splice(answersNow.indexOf(caller), 1);

/** @throws RequestFailure when another answer must wait. LA4 */
function checkRoom(caller: string): void {
  const own = answersNow.filter((one) => one === caller).length;
  const message = `${answersOfCallerMax} of your exports run already`;
  if (own >= answersOfCallerMax) throw new RequestFailure({code: 'rate_limited', message, headers: retryAfter});
  if (answersNow.length >= answersMax) throw new RequestFailure(unavailable(`${answersMax} exports run already`));
}

export interface LinePages {
  /** Whose answer it is (src/asks/asker.ts). */
  readonly caller: string;
  /** The next lines, of about `bytesMax` bytes, each with its end; undefined after the last. */
  next(bytesMax: number): Promise<Buffer | undefined>;
  /** Events in the lines so far. */
  readonly events: number;
}

/** What lines become on their way to the client: one for each answer. */
export interface LineForm {
  readonly contentType: string;
  readonly headers: readonly Header[];
  /** Takes the next lines. @returns bytes that can be sent now, maybe none. */
  add(lines: Buffer): Promise<Buffer>;
  /** What it still holds. */
  flush(): Promise<Buffer>;
  /** The last bytes of a whole answer. */
  end(events: number): Promise<Buffer>;
  /** The last bytes of one that failed. */
  fail(failure: Failure): Promise<Buffer>;
  /** Nothing more is asked for. */
  close(): void;
}

/** The first page, before the head of the answer is written: its failure is a status. @throws RequestFailure */
export async function firstPage(pages: LinePages): Promise<Buffer | undefined> {
  checkRoom(pages.caller);
  begun(pages.caller);
  try {
    return await pages.next(pageBytesMin);
  } finally {
    ended(pages.caller); // `answerLines` takes the place again.
  }
}

/** Answers with the lines of `first`, and of all pages after it. */
export function answerLines(
  exchange: Exchange,
  headers: readonly Header[],
  first: Buffer | undefined,
  pages: LinePages,
  form: LineForm = encodingFor(exchange.acceptEncoding, ['gzip']) === undefined ? new PlainLines() : new GzipLines(),
): void {
  const {contentType} = form;
  const all: readonly Header[] = [...headers, ['Vary', 'Accept-Encoding'], ...form.headers];
  if (exchange.method === 'HEAD') {
    exchange.answer('200 OK', contentType, '', all);
    return;
  }
  if (exchange.isOver) return; // The client left while the first page was made.
  const {caller} = pages;
  begun(caller);
  exchange.stream(contentType, all, (answer) => {
    if (answer === undefined) {
      ended(caller);
      return;
    }
    const lines = new LineAnswer(exchange, answer, form);
    lines
      .write(first, pages)
      .catch((error: unknown) => exchange.failed('writing lines', error))
      .finally(() => {
        form.close();
        ended(caller);
      });
  });
}

class LineAnswer {
  private readonly exchange: Exchange;
  private readonly answer: StreamAnswer;
  private readonly form: LineForm;
  private hasLeft = false;
  /** Resolves the wait for the client, if there is one. */
  private proceed: () => void = () => {};

  constructor(exchange: Exchange, answer: StreamAnswer, form: LineForm) {
    this.exchange = exchange;
    this.answer = answer;
    this.form = form;
    answer.listen({
      free: () => this.proceed(),
      over: () => {
        this.hasLeft = true;
        this.proceed();
      },
    });
  }

  async write(first: Buffer | undefined, pages: LinePages): Promise<void> {
    const failure = await this.writePages(first, pages);
    if (this.hasLeft) return;
    const {answer, form} = this;
    if (failure === undefined) answer.end(await form.end(pages.events));
    else answer.breakOff(await form.fail(failure));
  }

  /** @returns why the pages ended before their last one; undefined: they did not. LA2 */
  private async writePages(first: Buffer | undefined, pages: LinePages): Promise<Failure | undefined> {
    let bytesMax = pageBytesMin;
    try {
      for (let page = first; page !== undefined; page = await this.awaited(pages.next(bytesMax))) {
        if (page.length > 0) await this.writeLines(this.form.add(page));
        const isSlow = await this.untilTaken();
        if (this.hasLeft) break;
        bytesMax = isSlow ? pageBytesMin : Math.min(2 * bytesMax, pageBytesMax);
      }
      if (!this.hasLeft) await this.writeLines(this.form.flush());
      await this.untilTaken();
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      return error.failure;
    }
    return undefined;
  }

  private async writeLines(made: Promise<Buffer>): Promise<void> {
    const piece = await this.awaited(made);
    if (!this.hasLeft && piece.length > 0) this.answer.write(piece);
  }

  /** Keeps the connection while a page is made. */
  private async awaited<T>(work: Promise<T>): Promise<T> {
    const timer = setInterval(() => {
      if (!this.hasLeft) this.exchange.renewTimeout();
    }, renewEveryMs);
    try {
      return await work;
    } finally {
      clearInterval(timer);
    }
  }

  /** @returns whether the client kept it waiting. LA3 */
  private async untilTaken(): Promise<boolean> {
    if (!this.answer.isBlocked || this.hasLeft) return false;
    const timer = setTimeout(() => this.answer.cut(), unreadMsMax);
    await new Promise<void>((resolve) => {
      this.proceed = resolve;
    });
    clearTimeout(timer);
    return true;
  }
}

const nothing = Buffer.alloc(0);

/** Lines as they are (NDJSON). LA2 */
class PlainLines implements LineForm {
  readonly contentType = 'application/x-ndjson; charset=utf-8';
  readonly headers: readonly Header[] = [];

  async add(lines: Buffer): Promise<Buffer> {
    return lines;
  }

  async flush(): Promise<Buffer> {
    return nothing;
  }

  async end(events: number): Promise<Buffer> {
    return Buffer.from(`{"end":true,"events":${events}}\n`);
  }

  async fail(failure: Failure): Promise<Buffer> {
    return this.add(Buffer.from(`${JSON.stringify({error: errorValue(failure)})}\n`));
  }

  close(): void {}
}

/** Compresses lines page after page; what `add` returned can be read without the rest. */
class GzipLines extends PlainLines {
  override readonly headers: readonly Header[] = [['Content-Encoding', 'gzip']];
  private readonly gzip: Gzip = createGzip();
  private pieces: Buffer[] = [];
  private reject: (error: Error) => void = () => {};

  constructor() {
    super();
    this.gzip.on('data', (piece: Buffer) => this.pieces.push(piece));
    this.gzip.on('error', (error) => this.reject(error));
  }

  override add(lines: Buffer): Promise<Buffer> {
    return this.taken((done) => {
      this.gzip.write(lines);
      this.gzip.flush(constants.Z_SYNC_FLUSH, done);
    });
  }

  override async end(events: number): Promise<Buffer> {
    const last = await super.end(events);
    return this.taken((done) => {
      this.gzip.once('end', done);
      this.gzip.end(last);
    });
  }

  private taken(work: (done: () => void) => void): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.reject = reject;
      work(() => {
        const piece = Buffer.concat(this.pieces);
        this.pieces = [];
        resolve(piece);
      });
    });
  }
}
