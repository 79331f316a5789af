// What the edge knows of the generations of the logs, in whatever order acks, answers and doubts come.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {LogGenerations} from '../../src/edge/query/log-generations.js';

/** An edge whose questions are answered by hand. */
class Edge {
  readonly questions: {answer: (generation: number) => void; fail: () => void}[] = [];
  readonly later: (() => void)[] = [];
  readonly generations = new LogGenerations({
    partitionCount: 1,
    ask: () =>
      new Promise((answer, reject) => void this.questions.push({answer, fail: () => reject(new Error('no answer'))})),
    soon: (call) => void this.later.push(call),
  });

  constructor() {
    this.generations.startConnection();
  }

  async answer(generation: number): Promise<void> {
    this.questions.shift()!.answer(generation);
    await turn();
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a generation is known from the answer on', async () => {
  const edge = new Edge();
  expect(edge.generations.ofAck(0, 7)).toBe(0);
  await edge.answer(1);
  expect(edge.generations.ofAck(0, 8)).toBe(1);
  expect(edge.questions).toHaveLength(0);
});

test('what was known over a connection that is gone is not believed, nor what is answered to a question from then', async () => {
  const edge = new Edge();
  edge.generations.startConnection();
  await edge.answer(1);
  expect(edge.generations.ofAck(0, 3)).toBe(0);
  await edge.answer(2);
  expect(edge.generations.ofAck(0, 4)).toBe(2);
});

test.each([
  ['the same', 9],
  ['an earlier', 2],
])('a log that acks %s sequence again is another one', async (_, sequence) => {
  const edge = new Edge();
  await edge.answer(1);
  edge.generations.ofAck(0, 9);
  expect(edge.generations.ofAck(0, sequence)).toBe(0);
  await edge.answer(2);
  expect(edge.generations.ofAck(0, sequence + 1)).toBe(2);
});

test('an owner that does not answer is asked again, until the edge stops', async () => {
  const edge = new Edge();
  edge.questions.shift()!.fail();
  await turn();
  edge.later.shift()!();
  await edge.answer(5);
  expect(edge.generations.ofAck(0, 1)).toBe(5);
  edge.generations.stop();
  edge.generations.compared(0, 6);
  expect([edge.questions.length, edge.generations.ofAck(0, 2)]).toEqual([0, 0]);
});

test('an owner that compared its log and names the same generation changes nothing', async () => {
  const edge = new Edge();
  await edge.answer(1);
  edge.generations.compared(0, 1);
  expect(edge.generations.ofAck(0, 1)).toBe(1);
  edge.generations.compared(0, 2);
  expect(edge.generations.ofAck(0, 2)).toBe(0);
});

test('no ack is ever given the generation of an older log', async () => {
  const step = fc.constantFrom('ack', 'answer', 'fail', 'again', 'reconnect', 'compare');
  await fc.assert(
    fc.asyncProperty(fc.array(step, {maxLength: 40}), async (steps) => {
      const edge = new Edge();
      // An answer tells the generation at the time of its question; whoever lost a log says so before its acks.
      let generation = 1;
      let sequence = 0;
      const asked: number[] = [];
      for (const one of steps) {
        while (asked.length < edge.questions.length) asked.push(generation);
        if (one === 'ack') expect([0, generation]).toContain(edge.generations.ofAck(0, ++sequence));
        if (one === 'answer' && edge.questions.length > 0) await edge.answer(asked.shift()!);
        if (one === 'fail' && asked.shift() !== undefined) edge.questions.shift()!.fail();
        if (one === 'again') for (const call of edge.later.splice(0)) call();
        if (one === 'reconnect' || one === 'compare') {
          generation += 1;
          sequence = 0;
          if (one === 'reconnect') edge.generations.startConnection();
          else edge.generations.compared(0, generation);
        }
        await turn();
      }
    }),
  );
});
