// Reading a log from a real nats-server: in order, each message once, whatever happens to the consumer.
import {jetstream, jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {connectNats} from '../../src/nats/client/connection.js';
import {NatsLogSource} from '../../src/nats/log-pull.js';
import {logStream, logSubject} from '../../src/nats/topology.js';
import {type LogMessage, type LogPull, LogReader} from '../../src/partition/log/log-reader.js';
import {OfferedMessages} from '../../src/partition/log/offered-messages.js';
import {startTestNats, type TestNats} from '../support/nats.js';
import {until} from '../support/until.js';

let server: TestNats;
let writing: NatsConnection;
let reading: NatsConnection;
let source: NatsLogSource;
/** Of the newest message, before the test. */
let start: number;

beforeAll(async () => {
  server = await startTestNats(1);
  writing = await connectNats(server.nats.address, 'test-writer');
  reading = await connectNats(server.nats.address, 'test-reader');
  source = new NatsLogSource(reading, await jetstreamManager(reading, {checkAPI: false}));
});

afterAll(async () => {
  await writing.close();
  await reading.close();
  await server.stop();
});

const manager = () => jetstreamManager(writing, {checkAPI: false});

beforeEach(async () => {
  start = (await (await manager()).streams.info(logStream(0))).state.last_seq;
});

/** Messages whose bytes begin with their number, from 1 on. */
async function write(from: number, to: number, bytes = 16): Promise<void> {
  const js = jetstream(writing);
  const payload = (n: number) => Buffer.from(`${n} `.padEnd(bytes, '.'));
  for (let n = from; n <= to; n++) await js.publish(logSubject(0), payload(n), {retries: 20});
}

const numberOf = (bytes: Uint8Array): number => Number(Buffer.from(bytes.subarray(0, 16)).toString().split(' ')[0]);

/** Reads on until told to stop, and keeps the numbers of what came. */
class Reading {
  readonly numbers: number[] = [];
  readonly sequences: number[] = [];
  readonly reader = new LogReader(source, {} as never, 0);
  private isStopped = false;
  private readonly done = this.run();

  private async run(): Promise<void> {
    while (!this.isStopped) await this.readOn(this.sequences.at(-1) ?? start);
  }

  private async readOn(position: number): Promise<void> {
    for await (const messages of this.reader.read(position)) {
      for (const {sequence, bytes} of messages) {
        this.numbers.push(numberOf(bytes));
        this.sequences.push(sequence);
      }
    }
  }

  has(count: number): Promise<true> {
    return until(`${count} messages are read`, () => this.numbers.length >= count);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.reader.interrupt();
    await this.done;
  }
}

const upTo = (count: number, first = 1): number[] => Array.from({length: count}, (_, i) => first + i);

describe('reading a log', () => {
  test('what is there and what comes is read in order, each once, with its sequence', async () => {
    await write(1, 50);
    const run = new Reading();
    await run.has(50);
    await write(51, 100);
    await run.has(100);
    await run.stop();
    expect(run.numbers).toEqual(upTo(100));
    expect(run.sequences).toEqual(upTo(100, start + 1));
  });

  test('more bytes than one request may bring', async () => {
    await write(1, 14, 900_000);
    const run = new Reading();
    await run.has(14);
    await run.stop();
    expect(run.numbers).toEqual(upTo(14));
  });

  test('a consumer that the server forgot is replaced: nothing is lost, nothing comes twice', async () => {
    const run = new Reading();
    await write(1, 20);
    await run.has(20);
    const jsm = await manager();
    for await (const {name} of jsm.consumers.list(logStream(0))) await jsm.consumers.delete(logStream(0), name);
    await write(21, 40);
    await run.has(40);
    await run.stop();
    expect(run.numbers).toEqual(upTo(40));
  });

  test('a server that is killed and comes back: nothing is lost, nothing comes twice', async () => {
    const run = new Reading();
    await write(1, 20);
    await run.has(10);
    process.kill(server.nats.pid()!, 'SIGKILL');
    await until('the server is back', async () => {
      const isThere = await write(21, 21).then(
        () => true,
        () => false,
      );
      return isThere;
    });
    await write(22, 40);
    await until('the last one is read', () => run.numbers.at(-1) === 40);
    await run.stop();
    // A write whose answer was lost may stand in the log twice; what is read is what stands there.
    expect(run.numbers.filter((n) => n !== 21)).toEqual(upTo(40).filter((n) => n !== 21));
    expect(run.sequences).toEqual(upTo(run.sequences.length, start + 1));
  });
});

describe('one pull', () => {
  let pull: LogPull;
  /** Of the last message that it brought. */
  let last: number;

  const open = async (): Promise<void> => {
    pull = await source.open(0, last + 1, new OfferedMessages());
  };

  /** A server that says nothing for 2 s ends it, which a busy machine may do: who reads opens another one then. */
  async function next(): Promise<readonly LogMessage[]> {
    let messages = await pull.next();
    while (messages === undefined) {
      await open();
      messages = await pull.next();
    }
    last = messages.at(-1)!.sequence;
    return messages;
  }

  beforeEach(() => {
    last = start;
  });

  test('who does not take what arrived is not sent more and more', async () => {
    await write(1, 14, 900_000);
    await open();
    const first = await next();
    const heard = {bytes: 0, times: 0};
    await until('nothing more comes', () => {
      const {inBytes} = reading.stats();
      heard.times = inBytes === heard.bytes ? heard.times + 1 : 0;
      heard.bytes = inBytes;
      return heard.times === 20;
    });
    let count = first.length;
    let largest = 0;
    while (count < 14) {
      const messages = await next();
      count += messages.length;
      largest = Math.max(largest, messages.length);
    }
    pull.stop();
    expect(largest).toBeLessThanOrEqual(8); // 2 MiB held, and one request of 4 MiB.
    expect(await pull.next()).toBeUndefined();
  });

  test('who hurries has at once what is in the log', async () => {
    await open();
    await write(1, 1);
    const seen: number[] = [];
    for (let n = 2; n <= 30; n++) {
      await write(n, n);
      pull.hurry(start + n);
      while (seen.at(-1) !== n) seen.push(...(await next()).map(({bytes}) => numberOf(bytes)));
    }
    pull.stop();
    expect(seen).toEqual(upTo(30));
  });
});

describe('what the edge of this process offers', () => {
  /** A pull that reads on, with what is offered beside the log. */
  class OfferedReading {
    readonly offered = new OfferedMessages();
    readonly numbers: number[] = [];
    releasedBytes = 0;
    pulls = 0;
    private due = start + 1;
    private pull: LogPull | undefined;
    private isOver = false;
    private readonly done = this.run();

    private async run(): Promise<void> {
      while (!this.isOver) {
        this.pull = await source.open(0, this.due, this.offered);
        this.pulls += 1;
        for (let messages = await this.pull.next(); messages !== undefined; messages = await this.pull.next()) {
          expect(messages.map(({sequence}) => sequence)).toEqual(upTo(messages.length, this.due));
          this.due += messages.length;
          this.numbers.push(...messages.map(({bytes}) => numberOf(bytes)));
        }
      }
    }

    /** A marked copy: where it comes from shows in what is read. */
    offer(n: number, bytes = 32): void {
      const release = (length: number) => {
        this.releasedBytes += length;
      };
      const message = Buffer.from(`${n + 0.5} `.padEnd(bytes, '.'));
      this.offered.add({sequence: start + n, bytes: message, release});
      this.pull?.offered();
    }

    hurry(n: number): void {
      this.pull!.hurry(start + n);
    }

    has(count: number): Promise<true> {
      return until(`${count} messages are read`, () => this.numbers.length >= count);
    }

    async stop(): Promise<void> {
      this.isOver = true;
      this.pull!.stop();
      await this.done;
    }
  }

  test('it is taken in order, each once, without the log; what is missing comes out of the log', async () => {
    const run = new OfferedReading();
    await write(1, 3);
    await run.has(3);
    for (const n of [4, 5, 6, 6, 8, 9]) run.offer(n);
    await run.has(6);
    expect(run.numbers).toEqual([1, 2, 3, 4.5, 5.5, 6.5]);
    await write(4, 10);
    await run.has(10);
    await run.stop();
    expect(run.numbers.slice(0, 7)).toEqual([1, 2, 3, 4.5, 5.5, 6.5, 7]);
    expect(run.numbers.map(Math.floor)).toEqual(upTo(10));
    expect(run.releasedBytes).toBe(6 * 32);
  });

  test('what comes too late, or is behind, is released and read once', async () => {
    const run = new OfferedReading();
    await write(1, 20);
    await run.has(20);
    for (const n of [3, 19, 20]) run.offer(n);
    await write(21, 22);
    await run.has(22);
    await run.stop();
    expect(run.numbers).toEqual(upTo(22));
    expect(run.releasedBytes).toBe(3 * 32);
  });

  test('a consumer that is left far behind is replaced, and sends nothing of it again', async () => {
    const run = new OfferedReading();
    await write(1, 1);
    await run.has(1);
    const before = reading.stats().inBytes;
    for (let n = 2; n <= 10; n++) run.offer(n, 500_000);
    await run.has(10);
    await write(2, 11, 500_000);
    await until('the last one is read out of the log', () => run.numbers.at(-1) === 11);
    expect(run.numbers).toEqual([1, ...upTo(9, 2).map((n) => n + 0.5), 11]);
    // A request that had waited for a first message, one that was made before the consumer was replaced, and the last one.
    expect(reading.stats().inBytes - before).toBeLessThan(3.5 * 500_000);
    await run.stop();
    expect(run.releasedBytes).toBe(9 * 500_000);
  });

  test('who waits hurries the edge, and has out of the log what the edge has not', async () => {
    const run = new OfferedReading();
    await write(1, 2);
    await run.has(2);
    const hurried: number[] = [];
    for (let n = 3; n <= 60; n++) {
      await write(n, n);
      source.onHurry = () => {
        hurried.push(n);
        if (n % 3 !== 0) run.offer(n);
      };
      if (n % 5 === 0) run.offer(n);
      run.hurry(n);
      await run.has(n);
    }
    source.onHurry = () => {};
    await run.stop();
    expect(run.numbers.map(Math.floor)).toEqual(upTo(60));
    const offeredOnly = hurried.filter((n) => n % 3 !== 0 && run.numbers[n - 1] === n + 0.5);
    expect(offeredOnly.length).toBeGreaterThan(0);
    expect(hurried.filter((n) => n % 3 === 0).length).toBeGreaterThan(0);
  });

  test('who waits for what is not offered has it out of the log', async () => {
    const run = new OfferedReading();
    await write(1, 2);
    await run.has(2);
    for (let n = 3; n <= 40; n++) {
      await write(n, n);
      if (n % 3 !== 0) run.offer(n);
      if (n % 10 === 0) await run.has(n);
    }
    await run.has(40);
    await run.stop();
    expect(run.numbers.map(Math.floor)).toEqual(upTo(40));
  });

  test('of edges that write in turn the gaps are read together, not one after each rest', async () => {
    const run = new OfferedReading();
    await write(1, 201);
    await run.has(201);
    await write(202, 401);
    for (let n = 203; n <= 401; n += 2) run.offer(n);
    const before = reading.stats().outMsgs;
    await run.has(401);
    // One, and not one for each few of a hundred gaps, each behind a rest.
    expect(reading.stats().outMsgs - before).toBeLessThan(20);
    await run.stop();
    expect(run.numbers.map(Math.floor)).toEqual(upTo(401));
  });
});

test('a request that goes on bringing something is not silence, however long it takes', async () => {
  let deliver = (_error: null, _message: unknown): void => undefined;
  const nc = {
    subscribe(_inbox: string, {callback}: {callback: typeof deliver}) {
      deliver = callback;
      return {isClosed: () => false, unsubscribe: () => undefined};
    },
    publish: () => undefined,
  };
  const jsm = {consumers: {add: async () => ({name: 'c'}), delete: async () => true}};
  const source = new NatsLogSource(nc as never, jsm as never);
  const pull = await source.open(0, 1, new OfferedMessages());
  const seconds = 3; // Silence is two.
  const countMax = seconds * 20;
  let count = 0;
  const arriving = setInterval(() => {
    count += 1;
    deliver(null, {
      subject: logSubject(0),
      reply: `$JS.ACK.LOG_0.c.1.${count}.${count}.1.0`,
      data: Buffer.alloc(65_536),
    });
    if (count === countMax) clearInterval(arriving);
  }, 50);
  let got = 0;
  while (got < countMax) {
    const messages = await pull.next();
    expect(messages).toBeDefined();
    got += messages!.length;
  }
  pull.stop();
});
