// Group commit driven by hand: a fake wire that answers when told to, and a clock that moves when told to.
import {describe, expect, test} from 'vitest';
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {logMessageBytesMax} from '../../actors/limits.js';
import {writeErase} from '../../actors/log/entries.js';
import {MessageCursor} from '../../actors/log/entry-view.js';
import {AckedSequences, newAckedSequences} from '../../src/ingest/acked-sequences.js';
import {laneBytesAtOnce, togetherMs} from '../../src/ingest/commit-pace.js';
import type {Commit, CommitWaiter} from '../../src/ingest/log-message.js';
import {
  giveUpMs,
  type LogAnswer,
  type LogLink,
  type LogListener,
  LogPublisher,
  laneBytesMax,
  publisherBytesMax,
  resendMs,
  silentProducerMsMax,
} from '../../src/ingest/publisher.js';
import {until} from '../support/until.js';

interface Sent {
  readonly partition: number;
  readonly id: string;
  readonly ticket: number;
  readonly bytes: Uint8Array;
}

class FakeLink implements LogLink {
  isConnected = true;
  readonly sent: Sent[] = [];
  listener!: LogListener;

  listen(listener: LogListener): void {
    this.listener = listener;
  }

  send(partition: number, id: string, ticket: number, bytes: Uint8Array): void {
    this.sent.push({partition, id, ticket, bytes: bytes.slice()});
  }

  answer({partition, ticket}: Sent, answer: LogAnswer): void {
    this.listener.answered(partition, ticket, answer);
  }
}

class FakeWorld {
  nowMs = 1_000;
  /** Price of a message; 0: a nats-server of our own. */
  messageMs = 0;
  readonly link = new FakeLink();
  readonly acked = new AckedSequences(newAckedSequences(2));
  private producers = 0;
  readonly publisher = new LogPublisher({
    link: this.link,
    partitionCount: 2,
    messageBytesMax: logMessageBytesMax,
    monotonicMs: () => this.nowMs,
    wallMs: () => 1_700_000_000_000 + this.nowMs,
    newProducer: () => Buffer.alloc(8, ++this.producers),
    acked: this.acked,
    messageMs: () => this.messageMs,
  });

  /** Entries of about `bytes` bytes each, together, by somebody new. */
  append(partition: number, bytes = 100, waiter = new Waiter(), entryCount = 1): Waiter | 'refused' {
    const writer = new ByteWriter(entryCount * (bytes + 100));
    for (let i = 0; i < entryCount; i++) writeErase(writer, 'u', 'ada', 'd'.repeat(bytes), 0);
    const commit = this.publisher.append(partition, writer.bytes, 0, writer.position, waiter, entryCount);
    return commit === undefined ? 'refused' : waiter;
  }

  /** The end of the current turn of the event loop. */
  turn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  async pass(ms: number): Promise<void> {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; ) {
      this.nowMs = Math.min(endMs, this.nowMs + 100);
      this.publisher.tick();
      await this.turn();
    }
  }
}

class Waiter implements CommitWaiter {
  readonly outcomes: string[] = [];

  settled({partition, outcome, sequence}: Commit): void {
    this.outcomes.push(`${partition}:${outcome}:${sequence}`);
  }
}

const entriesOf = ({bytes}: Sent): number => new MessageCursor(bytes).count;
const producerOf = ({bytes}: Sent): string => new MessageCursor(bytes).producer;
const stored = (sequence: number): LogAnswer => ({kind: 'stored', sequence});

describe('group commit', () => {
  test('what comes within one turn leaves together; the rest waits for the answer', async () => {
    const world = new FakeWorld();
    const waiters = [world.append(0), world.append(0), world.append(1)] as Waiter[];
    expect(world.link.sent).toEqual([]);
    await world.turn();
    expect(world.link.sent.map(({partition}) => partition)).toEqual([0, 1]);
    waiters.push(world.append(0) as Waiter);
    await world.turn();
    expect(world.link.sent).toHaveLength(2);

    world.link.answer(world.link.sent[0]!, stored(7));
    await world.turn();
    expect(world.link.sent).toHaveLength(2); // Partition 1 has no answer yet: the next cycle waits for it.
    world.link.answer(world.link.sent[1]!, stored(8));
    await world.turn();
    expect(world.link.sent).toHaveLength(3);
    expect(world.link.sent.map(entriesOf)).toEqual([2, 1, 1]);
    expect(world.link.sent.map(({id}) => id)).toEqual([
      `${'01'.repeat(8)}.0.1`,
      `${'02'.repeat(8)}.1.1`,
      `${'01'.repeat(8)}.0.2`,
    ]);
    expect(waiters.map(({outcomes}) => outcomes)).toEqual([['0:stored:7'], ['0:stored:7'], ['1:stored:8'], []]);
  });

  test('a request counts once, whatever it carries: a client that is alone waits for nobody', async () => {
    const world = new FakeWorld();
    const waiter = new Waiter();
    for (let i = 0; i < 200; i++) world.append(i % 2, 100, waiter);
    await world.turn();
    expect(world.link.sent.map(entriesOf)).toEqual([100, 100]);
    world.link.answer(world.link.sent[0]!, stored(1));
    world.link.answer(world.link.sent[1]!, stored(1));
    world.append(1);
    await world.turn();
    expect(world.link.sent.map(entriesOf)).toEqual([100, 100, 1]);
  });

  test('the backlog is what waits or flies, but for a partition that does not answer', async () => {
    const world = new FakeWorld();
    world.append(0, 1_000);
    const bytes = world.publisher.bytesPending;
    await world.turn();
    world.append(0, 1_000);
    world.append(1, 1_000);
    expect(world.publisher.backlogBytes(world.nowMs)).toBe(3 * bytes);
    world.nowMs += resendMs;
    expect(world.publisher.backlogBytes(world.nowMs)).toBe(bytes);
    world.link.answer(world.link.sent[0]!, stored(1));
    expect(world.publisher.backlogBytes(world.nowMs)).toBe(2 * bytes);
  });

  test('a partition that does not answer holds up the others for a moment only', async () => {
    const world = new FakeWorld();
    world.append(0);
    world.append(1);
    await world.turn();
    world.link.answer(world.link.sent[1]!, stored(1));
    for (let n = 2; n <= 4; n++) {
      world.nowMs += togetherMs;
      world.append(1);
      await world.turn();
      const newest = world.link.sent.at(-1)!;
      expect([world.link.sent.length, newest.partition]).toEqual([n + 1, 1]);
      world.link.answer(newest, stored(n));
    }
    world.append(0);
    await world.turn();
    expect(world.link.sent).toHaveLength(5); // G1
    world.link.answer(world.link.sent[0]!, stored(1));
    await world.turn();
    expect(world.link.sent.at(-1)!.partition).toBe(0);
  });

  test('a request with many entries is told once per message', async () => {
    const world = new FakeWorld();
    const waiter = new Waiter();
    for (let i = 0; i < 5; i++) world.append(0, 300_000, waiter);
    await world.turn();
    world.link.answer(world.link.sent[0]!, stored(1));
    await world.turn();
    world.link.answer(world.link.sent[1]!, stored(2));
    expect(world.link.sent.map(entriesOf)).toEqual([3, 2]);
    for (const {bytes} of world.link.sent) expect(bytes.length).toBeLessThanOrEqual(logMessageBytesMax);
    expect(waiter.outcomes).toEqual(['0:stored:1', '0:stored:2']);
    expect(world.publisher.bytesPending).toBe(0);
  });

  test('the message says who made it, which number it is, and when', async () => {
    const world = new FakeWorld();
    world.append(1);
    await world.turn();
    const cursor = new MessageCursor(world.link.sent[0]!.bytes);
    expect([cursor.producer, cursor.n, cursor.logTimeMs]).toEqual(['02'.repeat(8), 1, 1_700_000_001_000]);
  });
});

test('a producer that was silent for long is another one, as the fold forgets it', async () => {
  const world = new FakeWorld();
  const sendOne = async (): Promise<Sent> => {
    world.append(0);
    await world.turn();
    const sent = world.link.sent.at(-1)!;
    world.link.answer(sent, stored(world.link.sent.length));
    return sent;
  };
  const first = await sendOne();
  world.nowMs += silentProducerMsMax;
  const second = await sendOne();
  world.nowMs += silentProducerMsMax + 1;
  const third = await sendOne();
  expect([second, third].map((sent) => producerOf(sent) === producerOf(first))).toEqual([true, false]);
  expect([first, second, third].map(({bytes}) => new MessageCursor(bytes).n)).toEqual([1, 2, 1]);
});

describe('an unknown outcome', () => {
  test('is retried with the same id and the same bytes until it is known', async () => {
    const world = new FakeWorld();
    const waiter = world.append(0) as Waiter;
    await world.turn();
    world.append(0);
    await world.pass(2 * resendMs);
    const [first, ...again] = world.link.sent;
    expect(again).toHaveLength(2);
    for (const {id, bytes} of again) expect({id, bytes}).toEqual({id: first!.id, bytes: first!.bytes});
    world.link.answer(first!, stored(3)); // The answer to an old send is as good.
    world.link.answer(again[0]!, stored(3)); // A second answer finds nobody.
    expect(waiter.outcomes).toEqual(['0:stored:3']);
  });

  test('is retried when the connection comes back, before anything new', async () => {
    const world = new FakeWorld();
    world.append(0);
    await world.turn();
    world.append(0);
    world.link.isConnected = false;
    await world.pass(resendMs * 2);
    expect(world.link.sent).toHaveLength(1);
    world.link.isConnected = true;
    world.link.listener.reconnected();
    await world.turn();
    expect(world.link.sent.map(({id}) => id.split('.')[2])).toEqual(['1', '1']);
  });

  test('is retried soon when nobody listened', async () => {
    const world = new FakeWorld();
    const waiter = world.append(0) as Waiter;
    await world.turn();
    world.link.answer(world.link.sent[0]!, {kind: 'nobody'});
    await world.pass(100);
    expect(world.link.sent).toHaveLength(2);
    expect(waiter.outcomes).toEqual([]);
  });

  test('stands while a copy is told that the first one is on its way to a majority', async () => {
    const world = new FakeWorld();
    const waiter = world.append(0) as Waiter;
    await world.turn();
    await world.pass(resendMs);
    world.link.answer(world.link.sent[1]!, {kind: 'in process'});
    expect(waiter.outcomes).toEqual([]);
    await world.pass(resendMs - 100);
    expect(world.link.sent).toHaveLength(2);
    await world.pass(100); // Another leader may know nothing of it.
    expect(world.link.sent).toHaveLength(3);
    world.link.answer(world.link.sent[0]!, stored(3));
    expect(waiter.outcomes).toEqual(['0:stored:3']);
  });

  test('is given up in the end: those who wait are told, and a fresh producer starts at 1', async () => {
    const world = new FakeWorld();
    const lost = world.append(0) as Waiter;
    await world.turn();
    await world.pass(1_000);
    const next = world.append(0) as Waiter;
    await world.pass(giveUpMs - 1_000);
    expect(lost.outcomes).toEqual(['0:unknown:0']);
    expect(next.outcomes).toEqual([]);
    const last = world.link.sent.at(-1)!;
    expect([producerOf(last), new MessageCursor(last.bytes).n]).toEqual(['03'.repeat(8), 1]);
    world.link.answer(world.link.sent[0]!, stored(9)); // Of the message given up: too late to matter.
    expect(next.outcomes).toEqual([]);
    world.link.answer(last, stored(10));
    expect(next.outcomes).toEqual(['0:stored:10']);
  });

  test('who waits behind a message that is given up waits no longer than the bound either', async () => {
    const world = new FakeWorld();
    const startMs = world.nowMs;
    const told: number[] = [];
    class Timed extends Waiter {
      override settled(commit: Commit): void {
        super.settled(commit);
        told.push(world.nowMs - startMs);
      }
    }
    const waiters = [];
    for (const _ of [0, 200]) {
      waiters.push(world.append(0, 100, new Timed()) as Waiter);
      await world.pass(200);
    }
    await world.pass(giveUpMs - 300);
    const last = world.append(0) as Waiter; // Just before the second one is given up.
    await world.pass(100);
    expect(waiters.map(({outcomes}) => outcomes)).toEqual([['0:unknown:0'], ['0:unknown:0']]);
    expect(told).toEqual([giveUpMs, giveUpMs + 200]);
    // Each that was sent has ended its producer.
    expect(new Set(world.link.sent.map(({id}) => id))).toEqual(
      new Set([`${'01'.repeat(8)}.0.1`, `${'03'.repeat(8)}.0.1`, `${'04'.repeat(8)}.0.1`]),
    );
    for (const late of world.link.sent.slice(0, -1)) world.link.answer(late, stored(1));
    expect(last.outcomes).toEqual([]);
    world.link.answer(world.link.sent.at(-1)!, stored(2));
    expect(last.outcomes).toEqual(['0:stored:2']);
  });

  test('a refusal of the server is final, and ends the producer, too', async () => {
    const world = new FakeWorld();
    const refused = world.append(0) as Waiter;
    await world.turn();
    world.link.answer(world.link.sent[0]!, {kind: 'refused'});
    expect(refused.outcomes).toEqual(['0:refused:0']);
    world.append(0);
    await world.turn();
    expect(world.link.sent[1]!.id).toBe(`${'03'.repeat(8)}.0.1`);
  });

  test('a refusal of a second send says nothing of the first one', async () => {
    const world = new FakeWorld();
    const waiter = world.append(0) as Waiter;
    await world.turn();
    await world.pass(resendMs);
    expect(world.link.sent).toHaveLength(2);
    world.link.answer(world.link.sent[1]!, {kind: 'refused'});
    expect(waiter.outcomes).toEqual(['0:unknown:0']);
  });
});

describe('what cannot leave', () => {
  test('is refused at once while disconnected', () => {
    const world = new FakeWorld();
    world.link.isConnected = false;
    expect(world.append(0)).toBe('refused');
    expect(world.publisher.bytesPending).toBe(0);
  });

  test('waits no longer than the bound, is known not to be stored, and leaves the producer alone', async () => {
    const world = new FakeWorld();
    const waiter = world.append(0) as Waiter;
    world.link.isConnected = false;
    await world.pass(giveUpMs);
    expect(waiter.outcomes).toEqual(['0:unsent:0']);
    expect(world.link.sent).toEqual([]);
    world.link.isConnected = true;
    world.append(0);
    await world.turn();
    expect(world.link.sent[0]!.id).toBe(`${'01'.repeat(8)}.0.1`);
  });

  test('a stuck partition is bounded and leaves room for the others', async () => {
    const world = new FakeWorld();
    let taken = 0;
    while (world.append(0, 60_000) !== 'refused') taken += 1;
    expect(taken).toBe(Math.floor(laneBytesMax / (world.publisher.bytesPending / taken)));
    expect(world.publisher.bytesPending).toBeLessThan(publisherBytesMax);
    expect(world.append(1)).not.toBe('refused');
    await world.turn();
    world.link.answer(world.link.sent[0]!, stored(1));
    expect(world.append(0, 60_000)).not.toBe('refused');
  });

  test('idle resolves when the last message is settled, stored or not', async () => {
    const world = new FakeWorld();
    await world.publisher.idle();
    world.append(0);
    await world.turn();
    const idle = world.publisher.idle();
    await world.pass(giveUpMs);
    await idle;
    expect(world.publisher.bytesPending).toBe(0);
  });
});

test('what the log acked is known before those who wait are told, and unknown with the next connection', async () => {
  const world = new FakeWorld();
  const told: (number | undefined)[] = [];
  class Looking extends Waiter {
    override settled(commit: Commit): void {
      super.settled(commit);
      told.push(world.acked.newest(commit.partition));
    }
  }
  world.append(1, 100, new Looking());
  await world.turn();
  world.link.answer(world.link.sent[0]!, stored(7));
  expect([told, world.acked.newest(0), world.acked.newest(1)]).toEqual([[7], undefined, 7]);
  // An ack that comes late, when the connection is gone already, is told all the same.
  world.append(1, 100, new Looking());
  await until('the next message left', () => world.link.sent.length === 2);
  world.link.isConnected = false;
  world.link.answer(world.link.sent[1]!, stored(8));
  expect([told, world.acked.newest(1)]).toEqual([[7, 8], 8]);
  world.link.isConnected = true;
  world.link.listener.reconnected();
  expect([world.acked.newest(1), world.acked.connection]).toEqual([undefined, 1n]);
});

test('a buffer is not used again while a copy of it may wait to be sent', async () => {
  const world = new FakeWorld();
  const live: Uint8Array[] = [];
  world.link.send = (partition, id, ticket, bytes) => {
    live.push(bytes);
    world.link.sent.push({partition, id, ticket, bytes});
  };
  world.append(0);
  await world.turn();
  await world.pass(resendMs);
  world.link.answer(world.link.sent[0]!, stored(1));
  world.append(0);
  await world.turn();
  expect(live[2]!.buffer).not.toBe(live[0]!.buffer);
  world.link.answer(world.link.sent[2]!, stored(2));
  world.append(0);
  await world.turn();
  expect(live[3]!.buffer).toBe(live[2]!.buffer);
});

describe('a budget of messages', () => {
  const entryBytes = 1_000;

  /** A cycle of two messages is answered. */
  async function worldAfterCycle(): Promise<FakeWorld> {
    const world = new FakeWorld();
    world.messageMs = 50;
    for (const partition of [0, 1]) world.append(partition);
    await world.turn();
    for (const sent of world.link.sent.splice(0)) world.link.answer(sent, stored(1));
    return world;
  }

  const partitionsOf = (world: FakeWorld): number[] => world.link.sent.map(({partition}) => partition);

  test('what comes waits until the messages of the cycle before are paid for, and leaves together', async () => {
    const world = await worldAfterCycle();
    world.append(0);
    await world.turn();
    world.nowMs += 99;
    world.append(1);
    await world.turn();
    expect(partitionsOf(world)).toEqual([]);
    world.nowMs += 1;
    world.append(1);
    await world.turn();
    expect(partitionsOf(world)).toEqual([0, 1]);
  });

  test('a lane with 32 KiB leaves at once, alone; the next one, too, once it is answered', async () => {
    const world = await worldAfterCycle();
    const heavy = Math.ceil(laneBytesAtOnce / entryBytes);
    world.append(0);
    world.append(1, entryBytes, new Waiter(), heavy);
    await world.turn();
    expect(partitionsOf(world)).toEqual([1]);
    world.append(1, entryBytes, new Waiter(), heavy);
    await world.turn();
    expect(partitionsOf(world)).toEqual([1]); // One flies at a time.
    world.link.answer(world.link.sent[0]!, stored(2));
    await world.turn();
    world.nowMs += 3; // Of its many entries some may have company soon.
    await until('it leaves', () => world.link.sent.length === 2);
    expect(partitionsOf(world)).toEqual([1, 1]);
    world.link.answer(world.link.sent[1]!, stored(3));
    // They cost no more time: the cycle begins when it would have.
    world.nowMs += 97;
    world.append(1);
    await world.turn();
    expect(partitionsOf(world)).toEqual([1, 1, 0, 1]);
  });
});
