// A page asks once, and numbers that stand side by side count the same events, whatever the service publishes while they are asked for.
import {beforeEach, describe, expect, test} from 'vitest';
import {type QuestionAnswer, QuestionBatches, type SentAnswers} from '../../dashboard/src/service/question-batches.js';
import {type FixedQuestion, flatOf} from '../../src/asks/question/flat.js';

const named = (prefix: string): FixedQuestion => ({report: 'names', prefix});
const gone: QuestionAnswer = {kind: 'fault', fault: {code: 'snapshot_gone', message: 'deleted', status: 410}};

/** A service that answers with its newest snapshots, or with those that it is asked for and holds. */
class Service {
  /** Prefixes of the questions of each request, and the position that it asks for. */
  readonly requests: (readonly [string, string | undefined])[] = [];
  newest = 1;
  oldestHeld = 1;
  round = 0;
  nowMs = 0;
  faulty = '';
  isReady: Promise<unknown> = Promise.resolve();
  private readonly turns: (() => void)[] = [];
  readonly batches = new QuestionBatches({
    send: (questions, at) => this.send(questions, at),
    round: () => this.round,
    beginRound: () => (this.round += 1),
    soon: (run) => this.turns.push(run),
    nowMs: () => this.nowMs,
  });

  /** Runs turns until all that was asked is answered. */
  async settle(): Promise<void> {
    for (let calm = 0; calm < 20; calm++) {
      this.turns.shift()?.();
      await Promise.resolve();
    }
  }

  private async send(questions: readonly FixedQuestion[], at: string | undefined): Promise<SentAnswers> {
    this.requests.push([questions.map((one) => (one as {prefix: string}).prefix).join(' '), at]);
    await this.isReady;
    const position = at === undefined ? this.newest : Number(at);
    if (position < this.oldestHeld) return {answers: questions.map(() => gone), position: undefined};
    const answers = questions.map((one): QuestionAnswer => {
      const {prefix} = one as {prefix: string};
      if (prefix === this.faulty) return {kind: 'fault', fault: {code: 'invalid_request', message: 'no', status: 400}};
      const meta = {as_of: '', next_by: '', incomplete_from: null, log_position: String(position)};
      return {kind: 'value', value: `${prefix} of ${position}`, meta};
    });
    return {answers, position: String(position)};
  }
}

let service: Service;
beforeEach(() => {
  service = new Service();
});

/** Values of the answers; codes of faults; undefined where the page asks anew. */
async function valuesOf(asking: ReturnType<QuestionBatches['ask']>): Promise<unknown> {
  await service.settle();
  const answers = await asking;
  return answers && [...answers.values()].map((one) => (one.kind === 'value' ? one.value : one.fault.code));
}
const ask = (...prefixes: string[]) => service.batches.ask(prefixes.map(named), new AbortController().signal);

describe('a page asks once', () => {
  test('all questions of a turn are one request, equal ones one question', async () => {
    const [one, other] = [ask('a', 'b'), ask('b', 'c')];
    expect(await valuesOf(one)).toEqual(['a of 1', 'b of 1']);
    expect(await valuesOf(other)).toEqual(['b of 1', 'c of 1']);
    expect([...(await one)!.keys()]).toEqual(['a', 'b'].map((prefix) => flatOf(named(prefix))));
    expect(service.requests).toEqual([['a b c', undefined]]);
  });

  test('questions wait for the parts that are loading, and for theirs', async () => {
    const [release, releaseOther] = [service.batches.hold(), service.batches.hold()];
    const first = ask('a');
    await service.settle();
    release();
    release();
    await service.settle();
    expect(service.requests).toEqual([]);
    const second = ask('b');
    releaseOther();
    expect(await valuesOf(first)).toEqual(['a of 1']);
    expect(await valuesOf(second)).toEqual(['b of 1']);
    expect(service.requests).toEqual([['a b', undefined]]);
  });

  test('more than thirty are more requests, of the position of the first', async () => {
    const asking = ask(...Array.from({length: 65}, (_, at) => `n${at}`));
    expect(await valuesOf(asking)).toHaveLength(65);
    expect(service.requests.map(([prefixes, at]) => [prefixes.split(' ').length, at])).toEqual([
      [30, undefined],
      [30, '1'],
      [5, '1'],
    ]);
  });

  test('what nobody waits for any more is not asked', async () => {
    const aborter = new AbortController();
    const left = service.batches.ask([named('a')], aborter.signal);
    const asking = ask('b');
    aborter.abort();
    expect(await valuesOf(asking)).toEqual(['b of 1']);
    expect(await left).toBeUndefined();
    expect(service.requests).toEqual([['b', undefined]]);
  });
});

describe('one position', () => {
  test('is that of the first answers until a publication is due; what was answered at it is not asked again', async () => {
    await valuesOf(ask('a'));
    service.newest = 2;
    expect(await valuesOf(ask('a', 'b'))).toEqual(['a of 1', 'b of 1']);
    expect(await valuesOf(ask('b'))).toEqual(['b of 1']);
    service.round += 1;
    expect(await valuesOf(ask('a', 'b'))).toEqual(['a of 2', 'b of 2']);
    expect(service.requests).toEqual([
      ['a', undefined],
      ['b', '1'],
      ['a b', undefined],
    ]);
  });

  test('is waited for by a request that comes before it is known', async () => {
    let answer: (value?: unknown) => void = () => {};
    service.isReady = new Promise((resolve) => (answer = resolve));
    const first = ask('a');
    await service.settle();
    const second = ask('b');
    await service.settle();
    expect(service.requests).toEqual([['a', undefined]]);
    answer();
    expect(await valuesOf(first)).toEqual(['a of 1']);
    service.newest = 2;
    expect(await valuesOf(second)).toEqual(['b of 1']);
  });

  test('that the service does not hold any more is followed by a round for the newest', async () => {
    await valuesOf(ask('a'));
    [service.newest, service.oldestHeld, service.nowMs] = [3, 3, 60_000];
    expect(await valuesOf(ask('b'))).toBeUndefined();
    expect(service.round).toBe(1);
    expect(await valuesOf(ask('a', 'b'))).toEqual(['a of 3', 'b of 3']);
  });

  test('that is gone again soon leaves what was answered, and the rest is of the newest', async () => {
    await valuesOf(ask('a'));
    [service.newest, service.oldestHeld] = [2, 2];
    await valuesOf(ask('b'));
    await valuesOf(ask('a'));
    [service.newest, service.oldestHeld, service.nowMs] = [3, 3, 1_000];
    expect(await valuesOf(ask('a', 'b'))).toEqual(['a of 2', 'b of 3']);
    expect(service.round).toBe(1);
  });
});

test('a question that fails leaves the others, and is asked again', async () => {
  service.faulty = 'b';
  expect(await valuesOf(ask('a', 'b'))).toEqual(['a of 1', 'invalid_request']);
  service.faulty = '';
  expect(await valuesOf(ask('a', 'b'))).toEqual(['a of 1', 'b of 1']);
  expect(service.requests.at(-1)).toEqual(['b', '1']);
});
