// Group commit on a real nats-server: what the fake wire of publisher.test.ts promises must be what NATS does.
import {randomBytes} from 'node:crypto';
import {jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {logMessageBytesMax} from '../../actors/limits.js';
import {writeErase} from '../../actors/log/entries.js';
import {MessageCursor} from '../../actors/log/entry-view.js';
import type {Commit} from '../../src/ingest/log-message.js';
import {type LogAnswer, type LogLink, type LogListener, LogPublisher, resendMs} from '../../src/ingest/publisher.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {NatsLogLink} from '../../src/nats/log-link.js';
import {logStream} from '../../src/nats/topology.js';
import {startTestNats, type TestNats} from '../support/nats.js';
import {until} from '../support/until.js';

let server: TestNats;
let publishing: NatsConnection;
let reading: NatsConnection;

beforeAll(async () => {
  server = await startTestNats(2);
  publishing = await connectNats(server.nats.address, 'test-publisher');
  reading = await connectNats(server.nats.address, 'test-reader');
});

afterAll(async () => {
  await publishing.close();
  await reading.close();
  await server.stop();
});

/** The real wire, whose answers a test may lose. */
class LossyLink implements LogLink {
  answersToLose = 0;
  private readonly link: LogLink;

  constructor(link: LogLink) {
    this.link = link;
  }

  get isConnected(): boolean {
    return this.link.isConnected;
  }

  listen(listener: LogListener): void {
    this.link.listen({
      answered: (partition: number, ticket: number, answer: LogAnswer) => {
        if (this.answersToLose === 0) listener.answered(partition, ticket, answer);
        else this.answersToLose -= 1;
      },
      reconnected: () => listener.reconnected(),
    });
  }

  send(partition: number, messageId: string, ticket: number, bytes: Uint8Array): void {
    this.link.send(partition, messageId, ticket, bytes);
  }
}

let link: LossyLink;
let publisher: LogPublisher;
let nowMs: number;

beforeEach(() => {
  nowMs = 0;
  link = new LossyLink(new NatsLogLink(publishing));
  publisher = new LogPublisher({
    link,
    partitionCount: 2,
    messageBytesMax: logMessageBytesMax,
    monotonicMs: () => nowMs,
    wallMs: () => 1_700_000_000_000,
    newProducer: () => randomBytes(8),
  });
});

/** Resolves when the entry's message is settled; undefined when it was refused at once. */
function append(partition: number, id: string, bytes = 100): Promise<Commit> | undefined {
  const writer = new ByteWriter(bytes + 300);
  writeErase(writer, 'u', id, 'd'.repeat(bytes), 0);
  let settle: ((commit: Commit) => void) | undefined;
  const settled = new Promise<Commit>((resolve) => {
    settle = resolve;
  });
  const commit = publisher.append(partition, writer.bytes, 0, writer.position, {settled: settle!});
  return commit === undefined ? undefined : settled;
}

/** User keys of a log message, in order. */
async function read(partition: number, sequence: number): Promise<string[]> {
  const manager = await jetstreamManager(reading);
  const message = (await manager.streams.getMessage(logStream(partition), {seq: sequence}))!;
  const cursor = new MessageCursor(message.data);
  const keys: string[] = [];
  while (cursor.next()) keys.push(cursor.entry.userKey());
  return keys;
}

async function lastSequence(partition: number): Promise<number> {
  return (await (await jetstreamManager(reading)).streams.info(logStream(partition))).state.last_seq;
}

describe('on a real server', () => {
  test('entries of one turn are one message, at the position that their waiters are told', async () => {
    const commits = await Promise.all([append(0, 'ada')!, append(0, 'bob')!, append(1, 'eve')!]);
    expect(commits.map(({outcome}) => outcome)).toEqual(['stored', 'stored', 'stored']);
    expect(commits[0]).toBe(commits[1]);
    expect(await read(0, commits[0].sequence)).toEqual(['uada', 'ubob']);
    expect(await read(1, commits[2].sequence)).toEqual(['ueve']);
  });

  test('a lost answer is asked for again: the message stands in the log once, and its waiter learns where', async () => {
    const before = await lastSequence(0);
    link.answersToLose = 1;
    const settled = append(0, 'once')!;
    await until('the answer was lost', () => link.answersToLose === 0);
    nowMs += resendMs;
    publisher.tick();
    expect(await settled).toMatchObject({outcome: 'stored', sequence: before + 1});
    await append(0, 'next');
    expect(await lastSequence(0)).toBe(before + 2);
  });

  test('a server that is killed: refused at once, what was in flight is stored once after it is back', async () => {
    const before = await lastSequence(0);
    link.answersToLose = 1;
    const settled = append(0, 'survivor')!;
    await until('the answer was lost', () => link.answersToLose === 0);
    process.kill(server.nats.pid()!, 'SIGKILL');
    await until('the connection is lost', () => !link.isConnected);
    expect(append(0, 'refused')).toBeUndefined();
    await until('the connection is back', () => link.isConnected);
    // The stream may still be loading: nobody answers then, and the next ticks ask again.
    await until('the message is settled', async () => {
      publisher.tick();
      return Promise.race([settled, new Promise<false>((resolve) => setImmediate(resolve, false))]);
    });
    expect(await settled).toMatchObject({outcome: 'stored', sequence: before + 1});
    // A request that falls between two attempts of a client to connect is lost.
    await until('the reader is back', () =>
      reading.flush().then(
        () => true,
        () => false,
      ),
    );
    expect(await lastSequence(0)).toBe(before + 1);
  });
});
