// The reader of a log whose connection is lost while a way through it is being opened.
import type {JetStreamManager} from '@nats-io/jetstream';
import {describe, expect, test} from 'vitest';
import {type LogPull, LogReader, type ReceivedMessage} from '../../../src/partition/log/log-reader.js';
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
  const messages = reader.read(0);
  const first = messages.next();
  await until('the first opening is under way', () => opened === 1);
  reader.reopen();
  expect(((await first).value as ReceivedMessage[]).map(({sequence}) => sequence)).toEqual([1]);
  const late = new Pull();
  answerFirst(late);
  await until('the late one is stopped', () => late.isStopped);
  expect([opened, second.isStopped]).toEqual([2, false]);
  reader.reopen(); // Nothing is being opened: what is in use is stopped.
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
