// Edges that tell each other what keys use of their rate limits, over a bus of the test.
import {beforeEach, describe, expect, test} from 'vitest';
import {FellowEdges, toldEveryMs} from '../../src/edge/admission/fellow-edges.js';
import {burstSeconds, rateLimits} from '../../src/edge/http/rate-limit.js';
import type {RateUsage} from '../../src/keys/key-ring.js';
import {Random} from '../../tools/random.js';

const perSecond = 100;
const limits = rateLimits({eventsPerSecond: perSecond, readsPerMinute: 60, deletesPerSecond: 0});
const nothing = (): RateUsage => ({events: 0, reads: 0, deletions: 0});

let nowMs: number;
let edges: TestEdge[];
/** Messages that do not arrive. */
let isLost: () => boolean;
let sent: string[];

beforeEach(() => {
  [nowMs, edges, isLost, sent] = [1_000, [], () => false, []];
});

class TestEdge {
  readonly key = {id: 'k1', usage: nothing(), used: nothing()};
  readonly fellows: FellowEdges;
  admitted = 0;

  constructor() {
    const {key} = this;
    this.fellows = new FellowEdges({
      id: `edge ${edges.length}`,
      limits,
      keys: {active: () => [key], activeOf: (id) => (id === key.id ? key : undefined)},
      publish: (message) => {
        sent.push(message);
        if (!isLost()) for (const edge of edges) edge.fellows.hear(message);
      },
      monotonicMs: () => nowMs,
    });
    edges.push(this);
  }

  /** As a caller does (edge/http/caller.ts). */
  send(): boolean {
    if (limits.events!.admit(this.key.usage, nowMs) !== undefined) return false;
    this.key.used.events += 1;
    this.admitted += 1;
    return true;
  }
}

/** Every edge gets `offered` events a second for `ms`; the edges tell at different times. */
function play(ms: number, offered: number, chance = new Random(1)): void {
  const endMs = nowMs + ms;
  for (; nowMs < endMs; nowMs += 1) {
    for (const [place, edge] of edges.entries()) {
      if (chance.next() < offered / 1_000) edge.send();
      if ((nowMs + 37 * place) % toldEveryMs === 0) edge.fellows.tell();
    }
  }
}

const admitted = (): number => edges.reduce((sum, edge) => sum + edge.admitted, 0);
const permitted = (ms: number): number => perSecond * (burstSeconds + ms / 1_000);

describe('one key on several edges', () => {
  test.each([2, 3, 5])('%d edges: it exceeds its limit by what it sends in 250 ms to all but one', (count) => {
    for (let i = 0; i < count; i++) new TestEdge();
    play(2_500, 0); // They know each other.
    const offered = 150;
    play(20_000, offered);
    const excess = admitted() - permitted(20_000);
    expect(excess).toBeLessThanOrEqual((count - 1) * offered * (toldEveryMs / 1_000) * 1.3);
    expect(admitted()).toBeGreaterThan(0.95 * permitted(20_000));
  });

  test('it keeps what it may use, whichever edge it uses: below its limit nothing is refused', () => {
    for (let i = 0; i < 3; i++) new TestEdge();
    play(2_500, 0);
    for (const edge of edges) edge.send();
    play(20_000, perSecond / 3 - 5);
    for (const edge of edges) expect(edge.send()).toBe(true);
  });

  test('a lost message makes the limit milder, by no more than it told', () => {
    for (let i = 0; i < 2; i++) new TestEdge();
    play(2_500, 0);
    const chance = new Random(7);
    isLost = () => chance.next() < 0.2;
    play(20_000, 150);
    const alone = permitted(20_000) * 2;
    expect(admitted()).toBeLessThan(permitted(20_000) + 0.35 * (alone - permitted(20_000)));
  });

  test('an edge that ends is charged no more, and counted no more after some seconds', () => {
    const [one, other] = [new TestEdge(), new TestEdge()];
    play(2_500, 10);
    expect([one.fellows.count, other.fellows.count]).toEqual([2, 2]);
    edges.pop();
    play(7_600, 10);
    expect(one.fellows.count).toBe(1);
  });
});

describe('an edge without others', () => {
  test('tells nothing but that it is there', () => {
    const edge = new TestEdge();
    play(20_000, 150);
    expect(sent.length).toBeLessThanOrEqual(11);
    expect(new Set(sent)).toEqual(new Set(['{"edge":"edge 0","used":[]}']));
    expect(edge.admitted).toBeGreaterThan(0.95 * permitted(20_000));
  });

  test('what was used before is not told to the one that comes', () => {
    const edge = new TestEdge();
    play(20_000, 150);
    const second = new TestEdge();
    second.fellows.tell();
    expect(edge.key.used).toEqual(nothing());
    play(2 * toldEveryMs, 0);
    expect(second.key.usage).toEqual(nothing());
    expect(second.fellows.count).toBe(2);
  });
});

test('nothing is told while nothing is used', () => {
  for (let i = 0; i < 2; i++) new TestEdge();
  play(2_500, 0);
  sent.length = 0;
  play(20_000, 0);
  expect(sent.length).toBeLessThanOrEqual(2 * 11);
  expect(sent.every((message) => message.includes('"used":[]'))).toBe(true);
});

test.each([
  ['no JSON', '{'],
  ['null', 'null'],
  ['a number', '7'],
  ['a list', '[]'],
  ['nothing of its own', '{}'],
  ['no name', '{"used":[["k1",1,0,0]]}'],
  ['no rows', '{"edge":"x","used":{"k1":1}}'],
  ['too short a row', '{"edge":"x","used":[["k1",1]]}'],
  ['a text for units', '{"edge":"x","used":[["k1","1",0,0]]}'],
  ['a negative number', '{"edge":"x","used":[["k1",-1,0,0]]}'],
  ['a fraction', '{"edge":"x","used":[["k1",0.5,0,0]]}'],
  ['more than any edge takes', '{"edge":"x","used":[["k1",1e15,0,0]]}'],
  ['null for units', '{"edge":"x","used":[["k1",null,0,0]]}'],
  ['one good row beside a bad one', '{"edge":"x","used":[["k1",1,0,0],["k1",-1,0,0]]}'],
])('garbage is ignored: %s', (_, message) => {
  const edge = new TestEdge();
  edge.fellows.hear(message);
  expect([edge.key.usage, edge.fellows.count]).toEqual([nothing(), 1]);
});

test('usage of a key that is not known here is ignored, the others of the message are not', () => {
  const edge = new TestEdge();
  edge.fellows.hear('{"edge":"x","used":[["unknown",1,1,1],["k1",2,3,4]]}');
  expect(edge.key.usage).toEqual({events: nowMs + 20, reads: nowMs + 3_000, deletions: 0}); // Deletions have no limit here.
});
