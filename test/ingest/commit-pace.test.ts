// How long a commit cycle waits for company: numbers in, milliseconds out.
import {describe, expect, test} from 'vitest';
import {
  CommitPace,
  crowdShare,
  enoughBytes,
  entriesPerLingerMs,
  lingerMsMax,
  messageMsOf,
  periodFactorMax,
  periodMsMax,
  rateMs,
  togetherMs,
} from '../../src/ingest/commit-pace.js';

const messages = 4;
const requestBytes = 100;

/** A pace whose newest cycle had four messages with so many requests each, and was answered at `endMs`. */
function paceAfter(requests: number, endMs: number): CommitPace {
  const pace = new CommitPace(messages);
  cycle(pace, messages * requests, endMs - 1, endMs);
  return pace;
}

/** So many more requests come and leave, and are answered. */
function cycle(pace: CommitPace, requests: number, beginMs: number, endMs: number): void {
  pace.wait(requests, requests * requestBytes);
  pace.begin(beginMs, messages);
  const share = requests / messages;
  for (let i = 0; i < messages; i++) pace.sent(share, share, share * requestBytes);
  for (let i = 0; i < messages; i++) pace.settled(share, endMs);
}

/** The same, begun whenever it may, with requests that come at a fixed rate whatever the answers. @returns its periods. */
function openLoop(pace: CommitPace, perMs: number, ackMs: number, cycles: number): number[] {
  const stepMs = 0.25;
  const begunMs: number[] = [];
  let [flyingUntilMs, flyingCount] = [Number.POSITIVE_INFINITY, 0];
  let [waiting, due] = [0, 0];
  for (let nowMs = 1_000; begunMs.length <= cycles; nowMs += stepMs) {
    due += perMs * stepMs;
    for (; due >= 1; due -= 1, waiting += 1) pace.wait(1, requestBytes);
    if (nowMs >= flyingUntilMs) {
      pace.settled(flyingCount, nowMs);
      flyingUntilMs = Number.POSITIVE_INFINITY;
    }
    if (waiting === 0 || pace.waitMs(nowMs) > 0) continue;
    pace.begin(nowMs, 1);
    pace.sent(waiting, waiting, waiting * requestBytes);
    begunMs.push(nowMs);
    [flyingUntilMs, flyingCount, waiting] = [nowMs + ackMs, waiting, 0];
  }
  return begunMs.slice(1).map((ms, i) => ms - begunMs[i]!);
}

/** Clients that ask again as soon as they are answered, one after the other. @returns the periods. */
function closedLoop(pace: CommitPace, clients: number, ackMs: number, cycles: number): number[] {
  const [stepMs, perStep] = [0.25, 5];
  const begunMs: number[] = [];
  let [flyingUntilMs, flying, waiting, coming] = [Number.POSITIVE_INFINITY, 0, 0, clients];
  for (let nowMs = 1_000; begunMs.length <= cycles; nowMs += stepMs) {
    const come = Math.min(coming, perStep);
    coming -= come;
    waiting += come;
    if (come > 0) pace.wait(come, come * requestBytes);
    if (nowMs >= flyingUntilMs) {
      pace.settled(flying, nowMs);
      [coming, flying, flyingUntilMs] = [coming + flying, 0, Number.POSITIVE_INFINITY];
    }
    if (waiting === 0 || pace.waitMs(nowMs) > 0) continue;
    pace.begin(nowMs, 1);
    pace.sent(waiting, waiting, waiting * requestBytes);
    begunMs.push(nowMs);
    [flying, waiting, flyingUntilMs] = [waiting, 0, nowMs + ackMs];
  }
  return begunMs.slice(1).map((ms, i) => ms - begunMs[i]!);
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('the time from one cycle to the next (C1)', () => {
  test('the first request leaves at once, and so do few after few', () => {
    const pace = new CommitPace(messages);
    pace.wait(1, requestBytes);
    expect(pace.waitMs(0)).toBe(0);
    const few = paceAfter(1, 10);
    few.wait(1, requestBytes);
    expect(few.waitMs(10)).toBe(0);
  });

  test.each([
    [0.1, 1],
    [0.5, 1],
    [1, 1],
  ])('at %d requests a ms nobody waits longer than for an ack', (perMs, ackMs) => {
    const pace = new CommitPace(messages);
    openLoop(pace, perMs, ackMs, 20);
    const periods = openLoop(pace, perMs, ackMs, 50);
    expect(mean(periods)).toBeLessThanOrEqual(Math.max(ackMs, 1 / perMs) + 0.5);
  });

  test.each([
    [1, 4],
    [1, 14],
    [4, 4],
    [4, 7],
    [4, 14],
    [9, 14],
  ])(
    'of %d partitions, at %d requests a ms, cycles begin some ms apart, though acks are faster',
    (partitions, perMs) => {
      const pace = new CommitPace(partitions);
      openLoop(pace, perMs, 1, 40);
      const period = mean(openLoop(pace, perMs, 1, 50));
      const expected = periodMsMax * Math.min(Math.sqrt(partitions), periodFactorMax);
      expect(period).toBeGreaterThan(expected - 1);
      expect(period).toBeLessThanOrEqual(expected + 1);
    },
  );

  test('the rate is one of the last moments: after a pause nobody waits for those of before', () => {
    const pace = new CommitPace(messages);
    openLoop(pace, 14, 1, 50);
    cycle(pace, 4, 10_000, 10_001);
    cycle(pace, 4, 10_000 + 2 * rateMs, 10_001 + 2 * rateMs);
    pace.wait(1, requestBytes);
    expect(pace.waitMs(10_001 + 2 * rateMs)).toBe(0);
  });
});

describe('company', () => {
  test('after many, a cycle waits for a time that grows with their number (C2)', () => {
    for (const [requests, lingerMs] of [
      [entriesPerLingerMs / 4, 1],
      [entriesPerLingerMs / 2, 2],
      [entriesPerLingerMs * 100, lingerMsMax],
    ] as const) {
      const pace = paceAfter(requests, 10);
      pace.wait(1, requestBytes);
      expect(pace.waitMs(10)).toBe(lingerMs);
      expect(pace.waitMs(10 + lingerMs)).toBe(0);
    }
  });

  test('a few batches have many entries: the next ones are waited for (C2)', () => {
    const pace = new CommitPace(messages);
    pace.wait(4, 40_000);
    pace.begin(10, 4);
    for (let i = 0; i < 4; i++) pace.sent(1, entriesPerLingerMs, 10_000);
    for (let i = 0; i < 4; i++) pace.settled(1, 11);
    pace.wait(2, 20_000);
    expect(pace.waitMs(11)).toBe(4);
    pace.wait(2, 20_000);
    expect(pace.waitMs(11)).toBe(0);
  });

  test('but no longer than until nearly all that were here at once are here again (C3)', () => {
    const pace = new CommitPace(messages);
    pace.wait(400, 40_000);
    pace.begin(10, 4);
    for (let i = 0; i < 4; i++) pace.sent(100, 100, 10_000);
    pace.wait(100, 10_000); // 500 are here at once.
    for (let i = 0; i < 4; i++) pace.settled(100, 11);
    expect(pace.waitMs(11)).toBe(lingerMsMax);
    pace.wait(500 * crowdShare - 101, 5_000);
    expect(pace.waitMs(11)).toBe(lingerMsMax);
    pace.wait(1, 100);
    expect(pace.waitMs(11)).toBe(0);
  });

  test.each([1, 2, 8, 32, 128])('%d clients in a closed loop are not kept waiting', (clients) => {
    const pace = new CommitPace(messages);
    const ackMs = 1;
    closedLoop(pace, clients, ackMs, 40);
    // Acks, and the time in which the clients ask again; two steps of the clock are lost on the way.
    expect(mean(closedLoop(pace, clients, ackMs, 50))).toBeLessThanOrEqual(ackMs + clients / 20 + 0.5);
  });

  test('who was answered and stays away is missed for one cycle only', () => {
    const pace = paceAfter(entriesPerLingerMs, 10);
    cycle(pace, 4, 13, 14);
    pace.wait(4, 400);
    expect(pace.waitMs(14)).toBe(0);
  });

  test('what waited since long ago does not wait on for company', () => {
    const pace = paceAfter(100, 10);
    pace.wait(1, requestBytes);
    expect(pace.waitMs(1_000)).toBe(0);
  });

  test('many bytes wait for nobody', () => {
    const pace = paceAfter(1_000, 10);
    pace.wait(20, enoughBytes);
    expect(pace.waitMs(10)).toBe(0);
  });

  test('what was given up is no company', () => {
    const pace = paceAfter(1, 10);
    pace.wait(100, 10_000);
    pace.leave(100, 10_000);
    expect(pace.isWaiting).toBe(false);
    pace.wait(1, requestBytes);
    expect(pace.isWaiting).toBe(true);
  });
});

describe('a partition that does not answer (C4)', () => {
  /** Two messages leave at 10 ms, and three requests wait. */
  function paceOfTwo(): CommitPace {
    const pace = new CommitPace(messages);
    pace.wait(5, 500);
    pace.begin(10, 2);
    pace.sent(1, 1, 100);
    pace.sent(1, 1, 100);
    return pace;
  }

  test('a cycle begins when all of the one before are answered', () => {
    const pace = paceOfTwo();
    pace.settled(1, 11);
    expect(pace.waitMs(11)).toBe(togetherMs);
    pace.settled(1, 12);
    expect(pace.waitMs(12)).toBe(0);
  });

  test('those that are answered wait for the others for so long', () => {
    const pace = paceOfTwo();
    pace.settled(1, 18);
    expect(pace.waitMs(18)).toBe(togetherMs);
    expect(pace.waitMs(18 + togetherMs)).toBe(0);
  });

  test('what came for others meanwhile waits no longer than that, either', () => {
    const pace = paceOfTwo();
    expect(pace.waitMs(10)).toBe(togetherMs);
    expect(pace.waitMs(10 + togetherMs)).toBe(0);
  });

  test('what waits for it is no company: the others keep their pace', () => {
    const pace = new CommitPace(messages);
    openLoop(pace, 14, 1, 40);
    pace.wait(1_000, 100_000);
    pace.leave(1_000, 100_000);
    expect(mean(openLoop(pace, 14, 1, 50))).toBeGreaterThan(periodMsMax * Math.sqrt(messages) - 1);
    pace.waitAgain(1_000, 100_000);
    expect(pace.waitMs(2_000)).toBe(0);
  });
});

describe('a budget of messages (C5)', () => {
  /** The newest cycle had four messages, began at 10 ms and was answered a ms later. */
  function paceAt(messageMs: () => number): CommitPace {
    const pace = new CommitPace(messages, messageMs);
    cycle(pace, 4, 10, 11);
    return pace;
  }

  test.each([
    [2_000, 1, 0.5],
    [2_000, 4, 2],
    [5_000, 4, 0.8],
  ])('%d messages a second of %d edges: each has %d ms', (perSecond, edges, ms) => {
    expect(messageMsOf(perSecond, edges)).toBe(ms);
  });

  test('a cycle begins no sooner than the messages of the one before cost', () => {
    const pace = paceAt(() => messageMsOf(2_000, 4));
    pace.wait(4, 400);
    expect(pace.waitMs(11)).toBe(7);
    expect([pace.isSaving, pace.gatherMs(11)]).toEqual([true, 0]);
    expect(pace.waitMs(18)).toBe(0);
  });

  test('one message costs one: a client that sends one event after the other hardly waits', () => {
    const pace = new CommitPace(16, () => messageMsOf(2_000, 1));
    pace.wait(1, requestBytes);
    pace.begin(10, 1);
    pace.sent(1, 1, requestBytes);
    pace.settled(1, 11);
    pace.wait(1, requestBytes);
    expect(pace.waitMs(11)).toBe(0);
  });

  test('the first request after a pause leaves at once', () => {
    const pace = paceAt(() => messageMsOf(10, 4));
    pace.wait(1, requestBytes);
    expect(pace.waitMs(11)).toBe(4 * 400 - 1);
    expect(pace.waitMs(10 + 4 * 400)).toBe(0);
  });

  test('neither bytes nor company make a cycle cheaper; nothing is saved while answers are awaited', () => {
    const pace = paceAt(() => 2);
    pace.wait(400, enoughBytes);
    expect(pace.waitMs(11)).toBe(7);
    pace.begin(20, 2);
    for (let i = 0; i < 2; i++) pace.sent(1, 1, requestBytes);
    pace.wait(1, requestBytes);
    expect(pace.isSaving).toBe(false);
    expect(pace.waitMs(21)).toBe(togetherMs - 1);
  });

  test('more edges share it from the moment on in which they are known', () => {
    let edges = 1;
    const pace = paceAt(() => messageMsOf(1_000, edges));
    pace.wait(4, 400);
    expect(pace.waitMs(11)).toBe(3);
    edges = 3;
    expect(pace.waitMs(11)).toBe(11);
  });

  test('without a budget nothing is ever saved', () => {
    const pace = paceAfter(100, 10);
    pace.wait(400, enoughBytes);
    expect([pace.isSaving, pace.waitMs(10)]).toEqual([false, 0]);
  });

  test.each([1, 3])('under load %d edges publish no more than it', (edges) => {
    const pace = new CommitPace(messages, () => messageMsOf(500, edges));
    const periods = openLoop(pace, 14, 1, 200); // A message each.
    expect(mean(periods)).toBeGreaterThanOrEqual(2 * edges - 0.5);
  });
});
