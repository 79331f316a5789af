// What throws after its handler returned (exchange.ts, X7; turn.ts, T2): it is told once, its connection ends, and every
// other exchange goes on.
import {once} from 'node:events';
import {connect, type Socket} from 'node:net';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {BodiesUnderWay} from '../../src/edge/admission/bodies-under-way.js';
import {type BodyHost, readBody} from '../../src/edge/admission/body.js';
import {Exchange, type ExchangeHost} from '../../src/edge/http/exchange.js';
import type {HttpApp} from '../../src/edge/http/transport.js';
import {atTurnEnd} from '../../src/edge/http/turn.js';
import type {Commit} from '../../src/ingest/log-message.js';
import {exchangeHost} from '../support/exchange-host.js';
import {transports} from '../support/transports.js';
import {until} from '../support/until.js';

const fails = (): never => {
  throw new Error('on purpose');
};
const answer = (exchange: Exchange): void => exchange.json('200 OK', '{}');
/** More than both ends of a connection hold. */
const long = 'x'.repeat(24 * 1024 * 1024);

const bodyHost = {underWay: new BodiesUnderWay({monotonicMs: () => 0, soon: () => {}})} as unknown as BodyHost;
const takeBody = (exchange: Exchange, use: () => void): void =>
  readBody(exchange, {bytesMax: 100, encoding: undefined, isCharged: false, host: bodyHost, use});

/** What a request of that path meets. Whatever throws is told with these words. */
const places: Record<string, {readonly told: string; readonly meet: (exchange: Exchange) => void}> = {
  'a header of an answer': {
    told: 'writing an answer',
    meet: (exchange) => {
      exchange.res.writeHeader = fails;
      answer(exchange);
    },
  },
  'the cork of an answer': {
    told: 'writing an answer',
    meet: (exchange) => {
      exchange.res.cork = fails;
      answer(exchange);
    },
  },
  'an answer in a later turn': {
    told: 'writing an answer',
    meet: (exchange) => {
      exchange.res.tryEnd = fails;
      setTimeout(() => answer(exchange), 1);
    },
  },
  'the rest of an answer': {
    told: 'writing the rest of an answer',
    meet: (exchange) => {
      exchange.json('200 OK', long);
      atTurnEnd(() => {
        exchange.res.tryEnd = fails;
      }, exchange);
    },
  },
  'the answer to what the log took': {
    told: 'answering what the log took',
    meet: (exchange) => {
      const waiter = exchange.awaitCommit({settled: fails});
      setTimeout(() => waiter.settled({} as Commit), 1);
    },
  },
  'a body': {told: 'taking a body', meet: (exchange) => takeBody(exchange, fails)},
  'a timer': {
    told: 'renewing a timeout',
    meet: (exchange) => {
      exchange.res.pause = fails;
      setTimeout(() => exchange.renewTimeout(), 1);
    },
  },
};

const faults: string[] = [];
describe.each(transports)('$name', (transport) => {
  let app: HttpApp;
  let port = 0;
  let over = 0;
  let open = 0;
  const host: ExchangeHost = exchangeHost({
    exchangeOver: () => {
      over += 1;
    },
    fault: (_, doing) => void faults.push(doing),
  });

  beforeAll(async () => {
    app = transport.newApp();
    app.any((res, req) => {
      const exchange = new Exchange(res, req, host);
      open += 1;
      res.onAborted(() => exchange.abort());
      const place = places[decodeURIComponent(exchange.path.slice(1))];
      if (exchange.path === '/leave') exchange.onOver(fails);
      else if (place === undefined) answer(exchange);
      else place.meet(exchange);
    });
    port = (await app.listen('127.0.0.1', 0))!;
  });

  afterAll(() => {
    app.close();
  });

  beforeEach(() => {
    faults.length = 0;
  });

  const request = (path: string): string =>
    `POST /${encodeURIComponent(path)} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`;

  async function opened(): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {}); // A reset: `close` follows.
    await once(socket, 'connect');
    return socket;
  }

  async function expectAlive(): Promise<void> {
    const socket = await opened();
    socket.write(request('alive'));
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    expect(bytes.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    socket.destroy();
  }

  test.each(Object.entries(places))('%s that throws ends its connection alone', async (path, {told}) => {
    const socket = await opened();
    const closed = once(socket, 'close');
    socket.resume();
    socket.write(request(path));
    await closed;
    expect(faults).toEqual([told]);
    await expectAlive();
    await until('every exchange is over', () => over === open);
  });

  test('a client that leaves is given up, whoever wanted to hear of it', async () => {
    const socket = await opened();
    socket.write(request('leave'));
    await until('the request is there', () => open > over);
    socket.destroy();
    await until('it is given up', () => over === open);
    expect(faults).toEqual(['giving up a request']);
    await expectAlive();
  });

  test('at the end of a turn, what throws is told its owner, and what stands behind it runs', async () => {
    const said: string[] = [];
    const owner = (name: string) => ({failed: (doing: string) => void said.push(`${name}: ${doing}`)});
    await new Promise<void>((resolve) => {
      atTurnEnd(fails, owner('first'));
      atTurnEnd(() => resolve(), owner('second'));
    });
    expect(said).toEqual(['first: what was left for the end of a turn']);
  });
});
