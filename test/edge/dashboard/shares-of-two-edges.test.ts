// A link on two edges that share a bucket: counts add up, and a revocation by one holds at the other.
import type {NatsConnection} from 'nats';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {Shares} from '../../../src/edge/dashboard/shares.js';
import {RequestFailure} from '../../../src/edge/failure.js';
import type {Front} from '../../../src/edge/front.js';
import type {Exchange} from '../../../src/edge/http/exchange.js';
import {KeptStore} from '../../../src/kept/kept-store.js';
import {newShareToken, type Share, shareOf, sharesOf} from '../../../src/kept/share.js';
import {ShareReads} from '../../../src/kept/share-reads.js';
import {hashKey} from '../../../src/keys/key.js';
import {connectNats} from '../../../src/nats/client/connection.js';
import {NatsKeyBucket} from '../../../src/nats/key-bucket.js';
import {keptAt} from '../../support/kept-report.js';
import {startTestNats, type TestNats} from '../../support/nats.js';
import {until} from '../../support/until.js';

let server: TestNats;
const connections: NatsConnection[] = [];
const nowMs = Date.parse('2026-11-28T12:00:00Z');

beforeAll(async () => {
  server = await startTestNats(1);
});

afterAll(async () => {
  for (const connection of connections) await connection.close();
  await server.stop();
});

class Edge {
  readonly reads: ShareReads;
  private readonly shares = new Shares(() => performance.now());

  private constructor(readonly store: KeptStore) {
    this.reads = new ShareReads(store);
  }

  static async open(): Promise<Edge> {
    const nc = await connectNats(server.nats.address, 'test-shares');
    connections.push(nc);
    return new Edge(await KeptStore.open(new NatsKeyBucket(nc, 'hooks'), () => nowMs));
  }

  /** @returns the answer; undefined where there is none. */
  async read(token: string): Promise<unknown> {
    const headers = {'Report-As-Of': '2026-11-28T11:59:00.000Z', 'Report-Next-By': '2026-11-28T12:04:00.000Z'};
    const front = {
      reportZone: undefined,
      wallMs: () => nowMs,
      reads: {asks: {report: async () => ({kind: 'report', headers, body: '{"total":1}'})}},
      kept: {store: this.store, shareReads: this.reads, keys: {lists: {names: [], properties: []}}},
      operations: {clientAddresses: {of: () => '127.0.0.1'}},
    } as unknown as Front;
    let answer: unknown;
    const exchange = {
      query: '',
      receivedMs: 0,
      caller: {},
      json: (_: string, text: string) => (answer = JSON.parse(text)),
    };
    await Promise.resolve(this.shares.read(front, exchange as unknown as Exchange, token)).catch((error) => {
      if (!(error instanceof RequestFailure)) throw error;
    });
    return answer;
  }
}

function content(token: string, more: Partial<Share> = {}): Omit<Share, 'v' | 'id' | 'createdMs'> {
  return {
    hash: hashKey(token),
    name: 'Growth',
    of: keptAt('/trends?event=signup&compare=off'),
    untilMs: null,
    origins: [],
    mayNamePeople: false,
    brokenDownBy: [],
    createdBy: 'ada',
    reads: 0,
    lastReadMs: null,
    ...more,
  };
}

test('both read it, both counts are stored once, and revoked by one it is no link for the other', async () => {
  const [here, there] = [await Edge.open(), await Edge.open()];
  const token = newShareToken();
  expect(token).toMatch(/^[\w-]{32}$/);
  const {id} = await sharesOf(here.store).create(content(token));
  await until('the other edge knows it', () => shareOf(there.store, token, nowMs));
  expect(await here.read(token)).toMatchObject({
    name: 'Growth',
    answers: [{answer: {total: 1}}, {answer: {series: [{total: 1}]}}],
  });
  for (let n = 0; n < 3; n++) expect(await there.read(token)).toMatchObject({name: 'Growth'});
  expect(sharesOf(here.store).get(id)).toMatchObject({reads: 0, lastReadMs: null});

  await here.reads.save();
  await there.reads.save();
  await there.reads.save();
  expect(sharesOf(there.store).get(id)).toMatchObject({reads: 4, lastReadMs: nowMs});
  await until('the first edge knows it', () => sharesOf(here.store).get(id)?.reads === 4);

  expect(await there.read(token)).toBeDefined();
  expect(await sharesOf(here.store).remove(id)).toBeDefined();
  expect(await here.read(token)).toBeUndefined();
  await until('it is no link for the other edge', () => shareOf(there.store, token, nowMs) === undefined);
  expect(await there.read(token)).toBeUndefined();
  await there.reads.save();
  expect(sharesOf(there.store).get(id)).toBeUndefined();
  expect(sharesOf((await Edge.open()).store).list()).toEqual([]);
});
