// The reader of a log whose connection is lost while a way through it is being opened.
import {expect, test} from 'vitest';
import {type LogPull, LogReader, type ReceivedMessage} from '../../../src/partition/log/log-reader.js';
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
