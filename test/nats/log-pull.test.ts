// Reading a log from a real nats-server: in order, each message once, whatever happens to the consumer.
import {jetstream, jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {connectNats} from '../../src/nats/client/connection.js';
import {NatsLogSource} from '../../src/nats/log-pull.js';
import {logStream, logSubject} from '../../src/nats/topology.js';
import type {ReceivedMessage} from '../../src/partition/log/handed-messages.js';
import {type LogPull, LogReader} from '../../src/partition/log/log-reader.js';
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
    pull = await source.open(0, last + 1);
  };

  /** A server that says nothing for 2 s ends it, which a busy machine may do: who reads opens another one then. */
  async function next(): Promise<readonly ReceivedMessage[]> {
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
      pull.expedite(start + n);
      while (seen.at(-1) !== n) seen.push(...(await next()).map(({bytes}) => numberOf(bytes)));
    }
    pull.stop();
    expect(seen).toEqual(upTo(30));
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
  const pull = await source.open(0, 1);
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
