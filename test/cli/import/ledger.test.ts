import {expect, test} from 'vitest';
import {Ledger} from '../../../src/cli/import/ledger.js';
import {emptyTally} from '../../../src/cli/import/tally.js';

const refusal = {code: 'invalid_event', message: 'm'};

test('ledger: a span is committed when it and all before it are settled, whatever the order of answers', () => {
  const commits: number[] = [];
  const ledger: Ledger = new Ledger(emptyTally(), 0, () => commits.push(ledger.committedLine));
  const first = ledger.expect();
  ledger.refuse(2, refusal);
  ledger.closeSpan(2);
  const second = ledger.expect();
  ledger.expect();
  ledger.closeSpan(4);
  ledger.settleAccepted(second, false);
  ledger.settleAccepted(second, true);
  expect([commits, ledger.committed]).toEqual([[], emptyTally()]);
  expect(ledger.total()).toMatchObject({accepted: 2, repeated: 1, refused: 1});

  ledger.settleAccepted(first, false);
  expect(commits).toEqual([4]);
  expect(ledger.committed).toEqual({
    accepted: 3,
    repeated: 1,
    leftOut: 0,
    refused: 1,
    firstRefused: [{line: 2, ...refusal}],
    refusedByReason: {invalid_event: 1},
  });
});

test('ledger: an open span is never committed, even with all its lines settled', () => {
  const ledger = new Ledger(emptyTally(), 7, () => {});
  ledger.settleAccepted(ledger.expect(), false);
  expect([ledger.committedLine, ledger.committed.accepted]).toEqual([7, 0]);
  ledger.closeSpan(8);
  expect([ledger.committedLine, ledger.committed.accepted]).toEqual([8, 1]);
});

test('ledger: the refusals that are shown are the first of the file, not the first to be answered', () => {
  const ledger = new Ledger(emptyTally(), 0, () => {});
  for (let line = 100; line > 0; line--) ledger.refuse(line, refusal);
  const {firstRefused, refused} = ledger.total();
  expect([refused, firstRefused.map(({line}) => line)]).toEqual([100, Array.from({length: 20}, (_, n) => n + 1)]);
});
