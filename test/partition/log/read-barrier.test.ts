// What live reads wait for: what was acked here, and the log's word where that is not known.
import {expect, test} from 'vitest';
import {AckedSequences, newAckedSequences} from '../../../src/ingest/acked-sequences.js';
import {ReadBarrier} from '../../../src/partition/log/read-barrier.js';

/** A log that answers when it is told to, or at once. */
class FakeLog {
  last = 0;
  asked = 0;
  whileAsked = (): void => {};

  async lastSequence(): Promise<number> {
    this.asked += 1;
    const {last} = this;
    this.whileAsked();
    return last;
  }
}

function open() {
  const log = new FakeLog();
  const acked = new AckedSequences(newAckedSequences(2));
  return {log, acked, newest: new ReadBarrier(log, 1, acked)};
}

test('the log is asked once, and not once something was acked', async () => {
  const {log, acked, newest} = open();
  log.last = 7;
  expect([await newest.sequence(), await newest.sequence(), log.asked]).toEqual([7, 7, 1]);
  acked.acked(0, 100);
  expect(await newest.sequence()).toBe(7);
  acked.acked(1, 9);
  expect([await newest.sequence(), log.asked]).toEqual([9, 1]);
  acked.acked(1, 2 ** 40);
  expect([await newest.sequence(), log.asked]).toEqual([2 ** 40, 1]);
});

test('with another connection the log is asked again, which may be shorter', async () => {
  const {log, acked, newest} = open();
  acked.acked(1, 9);
  acked.startConnection();
  log.last = 4;
  expect([await newest.sequence(), log.asked]).toEqual([4, 1]);
  acked.acked(1, 5);
  expect([await newest.sequence(), log.asked]).toEqual([5, 1]);
});

test('what the log said before something was acked over a connection that is gone does not count', async () => {
  const {log, acked, newest} = open();
  log.last = 4;
  expect(await newest.sequence()).toBe(4);
  acked.acked(1, 9);
  acked.startConnection();
  log.last = 9;
  expect([await newest.sequence(), log.asked]).toEqual([9, 2]);
});

test('an answer that a new connection overtook is of the older one', async () => {
  const {log, acked, newest} = open();
  log.whileAsked = () => {
    acked.acked(1, 9);
    acked.startConnection();
    log.whileAsked = () => {};
    log.last = 9;
  };
  expect(await newest.sequence()).toBe(0);
  expect([await newest.sequence(), log.asked]).toEqual([9, 2]);
});

test('what was acked after the question left is not waited for', async () => {
  const {acked, newest} = open();
  acked.acked(1, 9);
  const seen = new AckedSequences(acked.copy());
  acked.acked(1, 12);
  expect([await newest.sequence(seen), await newest.sequence()]).toEqual([9, 12]);
});

test('what a question saw over a connection that is gone is not looked at', async () => {
  const {log, acked, newest} = open();
  acked.acked(1, 9);
  const seen = new AckedSequences(acked.copy());
  acked.startConnection();
  log.last = 4;
  expect(await newest.sequence(seen)).toBe(4);
  acked.acked(1, 5);
  expect(await newest.sequence(seen)).toBe(5);
});

test('a question that left before anything was acked waits for what the log had', async () => {
  const {log, acked, newest} = open();
  const seen = new AckedSequences(acked.copy());
  log.last = 7;
  expect(await newest.sequence(seen)).toBe(7);
  acked.acked(1, 9);
  expect([await newest.sequence(seen), log.asked]).toEqual([7, 1]);
});

test('where others write, too, the log is asked each time', async () => {
  const log = new FakeLog();
  const newest = new ReadBarrier(log, 0, undefined);
  for (const last of [3, 4]) {
    log.last = last;
    expect(await newest.sequence()).toBe(last);
  }
});
