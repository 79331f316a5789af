// Answers of lines: a page at a time, no faster than the client reads.
import {constants, gunzipSync} from 'node:zlib';
import {expect, test} from 'vitest';
import {RequestFailure, unavailable} from '../../src/edge/failure.js';
import type {Exchange} from '../../src/edge/http/exchange.js';
import {answerLines, firstPage, type LinePages} from '../../src/edge/http/line-answer.js';
import {StreamAnswer} from '../../src/edge/http/stream-answer.js';
import type {HttpResponse} from '../../src/edge/http/transport.js';

/** A client that takes each piece at once, until it is told to read no more. */
class TestClient {
  readonly pieces: Buffer[] = [];
  takes = true;
  private isOpen = true;
  private writable: () => boolean = () => true;
  private answer: StreamAnswer | undefined;
  private end: () => void = () => {};
  readonly ended = new Promise<void>((resolve) => {
    this.end = resolve;
  });
  failure: unknown;
  /** The answer has ended in HTTP: it was not cut. */
  isWhole = false;

  exchange(acceptEncoding = ''): Exchange {
    const res = {
      cork: (write: () => void) => write(),
      write: (piece: string | Buffer) => {
        this.pieces.push(Buffer.from(piece as string));
        return this.takes;
      },
      end: () => {
        this.isWhole = true;
        this.end();
      },
      close: () => this.leave(),
      onWritable: (handle: () => boolean) => {
        this.writable = handle;
      },
    } as unknown as HttpResponse;
    return {
      method: 'GET',
      acceptEncoding,
      renewTimeout: () => {},
      failed: (_: string, error: unknown) => {
        this.failure = error;
        this.end();
      },
      stream: (_: string, __: unknown, begin: (answer: StreamAnswer) => void) => {
        this.answer = new StreamAnswer(res);
        begin(this.answer);
      },
    } as unknown as Exchange;
  }

  read(): void {
    this.takes = true;
    this.writable();
  }

  leave(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.answer!.left();
    this.end();
  }

  get text(): string {
    return Buffer.concat(this.pieces).toString();
  }
}

/** Pages of one line each; notes how large they were asked for. */
class TestPages implements LinePages {
  caller = 'key 1';
  events = 0;
  readonly asked: number[] = [];

  constructor(
    private readonly count: number,
    private readonly failsAt = Number.POSITIVE_INFINITY,
    private readonly error: Error = new RequestFailure(unavailable('the report thread restarts')),
  ) {}

  async next(bytesMax: number): Promise<Buffer | undefined> {
    this.asked.push(bytesMax);
    if (this.events >= this.failsAt) throw this.error;
    if (this.events >= this.count) return undefined;
    this.events += 1;
    return Buffer.from(`{"n":${this.events}}\n`);
  }
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('pages grow while the client takes them at once; the last line says how many events there were', async () => {
  const [client, pages] = [new TestClient(), new TestPages(6)];
  answerLines(client.exchange(), [], await firstPage(pages), pages);
  await client.ended;
  expect(client.text).toBe('{"n":1}\n{"n":2}\n{"n":3}\n{"n":4}\n{"n":5}\n{"n":6}\n{"end":true,"events":6}\n');
  expect(client.isWhole).toBe(true);
  expect(pages.asked.map((bytes) => bytes / 1_024)).toEqual([32, 64, 128, 256, 432, 432, 432]);
});

test('a page is asked for once the one before is taken, and is small then', async () => {
  const [client, pages] = [new TestClient(), new TestPages(3)];
  const first = await firstPage(pages);
  client.takes = false;
  answerLines(client.exchange(), [], first, pages);
  await soon();
  expect([client.text, pages.asked.length]).toEqual(['{"n":1}\n', 1]);
  client.read();
  await client.ended;
  expect(client.text.endsWith('{"n":3}\n{"end":true,"events":3}\n')).toBe(true);
  expect(pages.asked.slice(0, 3)).toEqual([32 * 1_024, 32 * 1_024, 64 * 1_024]);
});

test('nothing is read for a client that has left', async () => {
  const [client, pages] = [new TestClient(), new TestPages(1_000)];
  const first = await firstPage(pages);
  client.takes = false;
  answerLines(client.exchange(), [], first, pages);
  await soon();
  client.leave();
  await soon();
  expect([pages.asked.length, client.pieces.length, client.failure]).toEqual([1, 1, undefined]);
});

test('a refusal is the last line of an answer that is cut; a fault breaks the answer off', async () => {
  const refused = new TestClient();
  const pages = new TestPages(9, 2);
  answerLines(refused.exchange(), [], await firstPage(pages), pages);
  await refused.ended;
  const error = {code: 'unavailable', message: 'the report thread restarts'};
  expect(refused.text).toBe(`{"n":1}\n{"n":2}\n${JSON.stringify({error})}\n`);
  expect([refused.isWhole, refused.failure]).toEqual([false, undefined]);
  const broken = new TestClient();
  const fault = new TestPages(9, 1, new Error('a bug'));
  answerLines(broken.exchange(), [], await firstPage(fault), fault);
  await broken.ended;
  expect([broken.text, broken.failure]).toEqual(['{"n":1}\n', new Error('a bug')]);
  const packed = new TestClient();
  const few = new TestPages(9, 2);
  answerLines(packed.exchange('gzip'), [], await firstPage(few), few);
  await packed.ended;
  expect(() => gunzipSync(Buffer.concat(packed.pieces))).toThrow('unexpected end of file');
  expect(gunzipSync(Buffer.concat(packed.pieces), {finishFlush: constants.Z_SYNC_FLUSH}).toString()).toBe(refused.text);
});

test('a client that left while the first page was made takes no place', async () => {
  for (let i = 0; i < 20; i++) {
    const pages = new TestPages(1);
    const exchange = {...new TestClient().exchange(), isOver: true} as Exchange;
    answerLines(exchange, [], await firstPage(pages), pages);
  }
  expect((await firstPage(new TestPages(1)))!.toString()).toBe('{"n":1}\n');
});

test('compressed pages can be read one by one', async () => {
  const [client, pages] = [new TestClient(), new TestPages(3)];
  answerLines(client.exchange('gzip'), [], await firstPage(pages), pages);
  await client.ended;
  expect(client.pieces.length).toBe(4);
  expect(gunzipSync(Buffer.concat(client.pieces)).toString()).toBe(
    '{"n":1}\n{"n":2}\n{"n":3}\n{"end":true,"events":3}\n',
  );
});

test('no more than 16 run at a time, 8 of one caller', async () => {
  const pagesOf = (caller: string): TestPages => Object.assign(new TestPages(2), {caller});
  const clients: TestClient[] = [];
  const refusalOf = async (caller: string): Promise<string | undefined> => {
    try {
      const client = new TestClient();
      client.takes = false;
      const pages = pagesOf(caller);
      answerLines(client.exchange(), [], await firstPage(pages), pages);
      clients.push(client);
    } catch (error) {
      return (error as RequestFailure).failure.code;
    }
    return undefined;
  };
  for (let n = 0; n < 8; n++) expect(await refusalOf('key 1')).toBeUndefined();
  expect(await refusalOf('key 1')).toBe('rate_limited');
  for (let n = 0; n < 8; n++) expect(await refusalOf('key 2')).toBeUndefined();
  expect(await refusalOf('key 3')).toBe('unavailable');
  for (const client of clients) client.leave();
  await soon();
  expect((await firstPage(new TestPages(1)))!.toString()).toBe('{"n":1}\n');
});
