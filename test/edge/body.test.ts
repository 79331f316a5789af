// How bodies get to their routes, with a clock, a log and ends of turns that the test moves.

import type {HttpRequest, HttpResponse} from 'uWebSockets.js';
import {gzipSync} from 'node:zlib';
import {expect, test, vi} from 'vitest';
import {BodiesUnderWay} from '../../src/edge/admission/bodies-under-way.js';
import {type BodyHost, readBody} from '../../src/edge/admission/body.js';
import {unfinishedBodyBytes} from '../../src/edge/admission/body-budget.js';
import {Intake, waitingBodyBytesMin, waitingMsMax} from '../../src/edge/admission/intake.js';
import {RejectedEvents} from '../../src/edge/admission/rejected-events.js';
import {TurnShare, turnShareMs} from '../../src/edge/admission/turn-share.js';
import {Deadlines} from '../../src/edge/http/deadlines.js';
import {Exchange, type ExchangeHost} from '../../src/edge/http/exchange.js';
import {RequestIds} from '../../src/edge/http/request-id.js';
import {Traffic} from '../../src/edge/metrics/traffic.js';
import {exchangeHost} from '../support/exchange-host.js';
import {until} from '../support/until.js';

/** Compressed it is small. */
const plain = Buffer.alloc(10 * waitingBodyBytesMin, 'x');
const compressed = gzipSync(plain);

/** A client's request, as far as bodies ask of it. */
interface Request {
  readonly exchange: Exchange;
  send(bytes: Buffer, isLast: boolean): void;
}

class World implements BodyHost, ExchangeHost {
  nowMs = 1_000;
  backlogBytes = 0;
  /** Names of bodies that were used, in order. */
  readonly used: string[] = [];
  readonly deadlines = new Deadlines();
  readonly traffic = new Traffic({exact: new Map(), bySegment: new Map()});
  readonly rejected = new RejectedEvents(() => 0);
  private readonly turnEnds: (() => void)[] = [];
  private readonly looks: (() => void)[] = [];
  readonly monotonicMs = (): number => this.nowMs;
  readonly turnMs = this.monotonicMs;
  private readonly soon = (look: () => void): void => void this.looks.push(look);
  readonly underWay = new BodiesUnderWay({monotonicMs: this.monotonicMs, soon: this.soon});
  readonly intake = new Intake({
    backlogBytes: () => this.backlogBytes,
    takeOn: () => true,
    obstacle: () => undefined,
    monotonicMs: this.monotonicMs,
    soon: this.soon,
    turn: new TurnShare({monotonicMs: this.monotonicMs, atTurnEnd: (call) => this.turnEnds.push(call)}),
  });

  private readonly completions = vi.spyOn(this.intake, 'complete');

  /** Bodies that became whole and asked for their use; of one in pieces that is compressed, twice. */
  get whole(): number {
    return this.completions.mock.calls.length;
  }

  closesConnections = (): boolean => false;
  exchangeOver = (): void => {};
  admitByBody = (): undefined => undefined;
  readonly requestIds = new RequestIds();
  readonly fault = exchangeHost().fault;

  endTurn(): void {
    for (const call of this.turnEnds.splice(0)) call();
  }

  look(): void {
    for (const look of this.looks.splice(0)) look();
  }

  /** The head came. Using its body takes so long. */
  request(name: string, {useMs = 0, isCompressed = true, bytes = compressed.length} = {}): Request {
    let onData: (chunk: ArrayBuffer, isLast: boolean) => void = () => {};
    const res = {
      onData: (call: typeof onData) => {
        onData = call;
      },
      pause: () => {},
      resume: () => {},
    };
    const headers = {'content-length': String(bytes)};
    const req = {
      getQuery: () => '',
      forEach: (call: (name: string, value: string) => void) => {
        for (const [header, value] of Object.entries(headers)) call(header, value);
      },
    };
    const exchange = new Exchange(
      res as unknown as HttpResponse,
      req as unknown as HttpRequest,
      this,
      'POST',
      '/v1/events',
    );
    const use = (_: Exchange, body: Buffer): void => {
      expect(body.equals(plain)).toBe(true);
      this.used.push(name);
      this.nowMs += useMs;
    };
    readBody(exchange, {
      bytesMax: plain.length,
      encoding: isCompressed ? 'gzip' : undefined,
      isCharged: false,
      host: this,
      use,
    });
    const send = (part: Buffer, isLast: boolean): void => onData(new Uint8Array(part).buffer, isLast);
    return {exchange, send};
  }
}

/** What bodies hold when all of these are out of the decompressor and none was used. */
const heldBytes = (bodies: number): number => bodies * (plain.length + compressed.length);

test('compressed bodies have their share of a turn as plain ones: what is past it follows in the next turns', async () => {
  const world = new World();
  const count = 7;
  for (let i = 0; i < count; i++) {
    world.request(`#${i}`, {useMs: turnShareMs / 2}).send(compressed, true);
  }
  await until('all are decompressed', () => world.whole === count);
  expect(world.used).toHaveLength(2);
  expect(unfinishedBodyBytes()).toBe(heldBytes(count - 2));
  world.endTurn();
  expect(world.used).toHaveLength(2);
  for (const used of [4, 6, 7]) {
    world.endTurn();
    expect(world.used).toHaveLength(used);
  }
  expect(new Set(world.used).size).toBe(count);
  expect(unfinishedBodyBytes()).toBe(0);
});

test('a plain body goes behind the compressed ones that wait', async () => {
  const world = new World();
  world.request('first', {useMs: 2 * turnShareMs}).send(compressed, true);
  await until('it is used', () => world.used.length === 1);
  world.request('second').send(compressed, true);
  await until('it waits', () => world.whole === 2);
  world.endTurn();
  world.request('third', {isCompressed: false, bytes: plain.length}).send(plain, true);
  expect(world.used).toEqual(['first']);
  world.endTurn();
  expect(world.used).toEqual(['first', 'second', 'third']);
  expect(unfinishedBodyBytes()).toBe(0);
});

test('more than the log can soon have waits decompressed, and not for ever', async () => {
  const world = new World();
  world.backlogBytes = Number.POSITIVE_INFINITY;
  const {send} = world.request('only');
  send(compressed.subarray(0, 100), false); // In two pieces.
  send(compressed.subarray(100), true);
  await until('it waits', () => world.whole === 2);
  expect(unfinishedBodyBytes()).toBe(heldBytes(1));
  world.look();
  expect(world.used).toEqual([]);
  world.nowMs += waitingMsMax;
  world.look();
  expect(world.used).toEqual(['only']);
  expect(unfinishedBodyBytes()).toBe(0);
});

test('whose client goes away while it waits is not used, and leaves nothing behind', async () => {
  const world = new World();
  world.backlogBytes = Number.POSITIVE_INFINITY;
  const {exchange, send} = world.request('gone');
  send(compressed, true);
  await until('it waits', () => world.whole === 1);
  exchange.abort();
  expect(unfinishedBodyBytes()).toBe(0);
  world.nowMs += waitingMsMax;
  world.look();
  expect(world.used).toEqual([]);
});

test('whose client goes away while it is decompressed leaves nothing behind either', async () => {
  const world = new World();
  const {exchange, send} = world.request('gone');
  send(compressed, true);
  expect(unfinishedBodyBytes()).toBeGreaterThan(0);
  exchange.abort();
  await until('the decompressor has let go', () => unfinishedBodyBytes() === 0);
  expect(world.used).toEqual([]);
});
