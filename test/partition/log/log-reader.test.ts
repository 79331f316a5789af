// The reader of a log whose connection is lost while a way through it is being opened.
import {setImmediate as nextTurn} from 'node:timers/promises';
import type {JetStreamManager} from '@nats-io/jetstream';
import {describe, expect, test} from 'vitest';
import type {ReceivedMessage} from '../../../src/partition/log/handed-messages.js';
import {type LogPull, LogReader} from '../../../src/partition/log/log-reader.js';
import {DamagedState} from '../../../src/parts/damage.js';
import {until} from '../../support/until.js';

class Pull implements LogPull {
  isStopped = false;
  private readonly messages: ReceivedMessage[][] = [[{sequence: 1, bytes: new Uint8Array(1)}]];
  next = async () => this.messages.pop();
  expedite(): void {}
  stop(): void {
    this.isStopped = true;
  }
}

test('an opening that got no answer is given up when the connection is back, and stopped if it comes late', async () => {
  let answerFirst: (pull: Pull) => void = () => {};
  const openings: Promise<Pull>[] = [
    new Promise<Pull>((resolve) => {
      answerFirst = resolve;
    }),
  ];
  const second = new Pull();
  let opened = 0;
  const source = {open: async () => openings[opened++] ?? second};
  const reader = new LogReader(source, {} as never, 0);
  const given = reader.read(0).next();
  await until('the first opening is under way', () => opened === 1);
  reader.reopen();
  expect((await given).done).toBe(true); // The log is compared before it is read on.
  const late = new Pull();
  answerFirst(late);
  await until('the late one is stopped', () => late.isStopped);
  const messages = reader.read(0);
  expect(((await messages.next()).value as ReceivedMessage[]).map(({sequence}) => sequence)).toEqual([1]);
  expect([opened, second.isStopped]).toEqual([2, false]);
  reader.reopen();
  expect(second.isStopped).toBe(true);
  await messages.return(undefined);
});

test('a way that breaks ends the reading: whoever reads on looks first whether it is the same log', async () => {
  let opened = 0;
  const open = async (): Promise<Pull> => {
    opened += 1;
    return new Pull();
  };
  const reader = new LogReader({open}, {} as never, 0);
  const read: number[] = [];
  for await (const messages of reader.read(0)) read.push(...messages.map(({sequence}) => sequence));
  expect([read, opened]).toEqual([[1], 1]);
});

describe('messages that did not come', () => {
  interface Log {
    readonly first: number;
    readonly last: number;
    readonly deleted?: readonly number[];
    readonly lost?: readonly number[];
  }

  /** The log as it is when it is asked, in turn; the last state stays. */
  const readerOf = (states: readonly Log[], unreadable: readonly number[]): LogReader => {
    let asked = 0;
    const jsm = {
      streams: {
        info: async () => {
          const {first, last, deleted, lost} = states[Math.min(asked++, states.length - 1)]!;
          return {state: {first_seq: first, last_seq: last, deleted, ...(lost && {lost: {msgs: lost, bytes: 1}})}};
        },
        getMessage: async (_: string, {seq}: {seq: number}) => (unreadable.includes(seq) ? null : {seq}),
      },
    };
    return new LogReader({open: async () => new Pull()}, jsm as unknown as JetStreamManager, 0);
  };

  const whole: Log = {first: 1, last: 9};
  test.each<[string, readonly Log[], readonly number[], boolean]>([
    ['all can be read', [whole], [], false],
    ['one cannot be read', [whole], [6], true],
    ['one was deleted', [{...whole, deleted: [6]}], [6], false],
    ['they were truncated', [{first: 8, last: 9}], [5, 6, 7], false],
    ['they are truncated while they are asked for', [whole, {first: 8, last: 9}], [5, 6, 7], false],
    ['they are not there yet', [{first: 1, last: 4}], [5, 6, 7], false],
    ['nats-server has lost one and noticed it', [{...whole, deleted: [6], lost: [6]}], [6], true],
    ['nats-server has lost the first ones', [{first: 8, last: 9, lost: [1, 2, 3, 4, 5, 6, 7]}], [5, 6, 7], true],
    ['another one is lost', [{...whole, lost: [4]}], [4], false],
  ])('%s', async (_, states, unreadable, isDamaged) => {
    const checked = readerOf(states, unreadable).checkReadable(5, 7);
    if (isDamaged) await expect(checked).rejects.toThrow(DamagedState);
    else await checked;
  });
});

describe('messages that the edge of this process handed over', () => {
  const fromLog = 1;
  const handed = 2;

  /** A pull that brings everything the log has from its start on. */
  class LogPullOf implements LogPull {
    isStopped = false;
    private wake: () => void = () => {};

    constructor(
      private readonly log: {last: number},
      private due: number,
    ) {}

    async next(): Promise<readonly ReceivedMessage[] | undefined> {
      while (!this.isStopped && this.due > this.log.last) {
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      }
      if (this.isStopped) return undefined;
      const messages = upTo(this.log.last, this.due).map((sequence) => messageOf(sequence, fromLog));
      this.due = this.log.last + 1;
      return messages;
    }

    expedite(): void {}

    arrive(): void {
      this.wake();
    }

    stop(): void {
      this.isStopped = true;
      this.wake();
    }
  }

  class Reading {
    readonly log = {last: 0};
    readonly pulls: LogPullOf[] = [];
    readonly read: string[] = [];
    readonly reader = new LogReader(
      {
        open: async (_, startSequence) => {
          const pull = new LogPullOf(this.log, startSequence);
          this.pulls.push(pull);
          return pull;
        },
      },
      {} as never,
      0,
    );
    private readonly done: Promise<void>;

    constructor() {
      this.done = this.run();
    }

    private async run(): Promise<void> {
      for await (const messages of this.reader.read(0))
        for (const {sequence, bytes} of messages) this.read.push(`${sequence}${bytes[0] === handed ? ' handed' : ''}`);
    }

    /** Others append: only the log has these messages. */
    append(last: number): void {
      this.log.last = last;
      for (const pull of this.pulls) pull.arrive();
    }

    hand(connection: number, ...sequences: number[]): boolean {
      this.log.last = Math.max(this.log.last, ...sequences);
      return this.reader.takeHanded(
        connection,
        sequences.map((sequence) => messageOf(sequence, handed)),
      );
    }

    get openPulls(): number {
      return this.pulls.filter(({isStopped}) => !isStopped).length;
    }

    has(count: number): Promise<true> {
      return until(`${count} messages are read`, () => this.read.length >= count);
    }

    async stop(): Promise<void> {
      this.reader.interrupt();
      await this.done;
    }
  }

  const messageOf = (sequence: number, origin: number): ReceivedMessage => ({
    sequence,
    bytes: new Uint8Array(10).fill(origin),
  });
  const upTo = (last: number, first = 1): number[] =>
    Array.from({length: Math.max(0, last - first + 1)}, (_, i) => first + i);

  test('those that follow each other need no pull; with silence the log is read', async () => {
    const reading = new Reading();
    reading.hand(1, 1, 2, 3);
    await reading.has(3);
    reading.hand(1, 4, 4, 5);
    await reading.has(5);
    expect([reading.read, reading.pulls.length]).toEqual([
      ['1 handed', '2 handed', '3 handed', '4 handed', '5 handed'],
      0,
    ]);
    reading.append(7);
    await reading.has(7);
    expect(reading.read.slice(5)).toEqual(['6', '7']);
    await reading.stop();
    expect(reading.openPulls).toBe(0);
  });

  test('one that is missing comes out of the log, and none comes twice', async () => {
    const reading = new Reading();
    reading.hand(1, 1, 3, 4);
    await reading.has(4);
    expect(reading.read).toEqual(['1 handed', '2', '3', '4']);
    await reading.stop();
  });

  test('a pull stays for a second; then messages that are handed over end it', async () => {
    const reading = new Reading();
    reading.append(1);
    await reading.has(1);
    let last = 1;
    const feed = setInterval(() => reading.hand(1, ++last), 5);
    await until('a message was read that had been handed over', () =>
      reading.read.some((read) => read.includes('handed')),
    );
    await until('no pull is open', () => reading.openPulls === 0);
    clearInterval(feed);
    await reading.has(last);
    await reading.stop();
    expect(reading.read.map(Number.parseFloat)).toEqual(upTo(last));
  });

  test('who waits for one that was not handed over has it out of the log at once', async () => {
    const reading = new Reading();
    reading.hand(1, 1);
    await reading.has(1);
    reading.append(2);
    reading.reader.expedite(2);
    for (let turn = 0; turn < 5; turn++) await nextTurn(); // No time passes.
    expect(reading.read).toEqual(['1 handed', '2']);
    await reading.stop();
  });

  test('a new connection is told, and messages of the one before are of no use', async () => {
    const reading = new Reading();
    expect([reading.hand(1, 1), reading.hand(1, 2), reading.hand(2)]).toEqual([true, false, true]);
    reading.hand(1, 3);
    reading.hand(2, 4);
    await reading.has(4);
    expect(reading.read.slice(2)).toEqual(['3', '4']);
    await reading.stop();
  });

  test('after a lost connection none is used before the edge begins a new one', async () => {
    const reading = new Reading();
    reading.hand(3, 1);
    await reading.has(1);
    reading.reader.forgetHanded();
    reading.hand(3, 2, 3);
    await reading.has(3);
    expect(reading.read.slice(1)).toEqual(['2', '3']);
    expect(reading.hand(4)).toBe(true);
    await reading.stop();
  });
});
