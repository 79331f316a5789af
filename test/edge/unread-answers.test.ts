// A client that asks on and on and reads none of its small answers (exchange.ts, X6; unread-answers.ts, U2).
import {once} from 'node:events';
import {connect, type Socket} from 'node:net';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {Exchange, type ExchangeHost} from '../../src/edge/http/exchange.js';
import type {HttpApp} from '../../src/edge/http/transport.js';
import {answerBytesInFlight} from '../../src/edge/http/unread-answers.js';
import {exchangeHost} from '../support/exchange-host.js';
import {transports} from '../support/transports.js';
import {until} from '../support/until.js';

const request = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
const body = JSON.stringify({text: 'x'.repeat(2_000)});
/** The buffers of both ends hold some 2,000. */
const answersMax = 20_000;
const silenceMs = 1_000;

describe.each(transports)('$name', (transport) => {
  let app: HttpApp;
  let port = 0;
  let answers = 0;
  let over = 0;

  const host: ExchangeHost = exchangeHost({
    exchangeOver: () => {
      over += 1;
    },
  });

  beforeAll(async () => {
    app = transport.newApp();
    app.any((res, req) => {
      const exchange = new Exchange(res, req, host);
      res.onAborted(() => exchange.abort());
      exchange.json('200 OK', body);
      answers += 1;
    });
    port = (await app.listen('127.0.0.1', 0))!;
  });

  afterAll(() => {
    app.close();
  });

  /** Asks again as soon as it was answered. @returns after so many answers, or when none came for `silenceMs`, or no more can. */
  async function askOn(socket: Socket): Promise<void> {
    while (answers < answersMax && !socket.destroyed) {
      const before = answers;
      socket.write(request);
      const endMs = Date.now() + silenceMs;
      while (answers === before && !socket.destroyed) {
        if (Date.now() > endMs) return;
        await new Promise(setImmediate);
      }
      await new Promise(setImmediate); // Its answer leaves at the end of the turn (exchange.ts X4).
    }
  }

  test('a client that never reads gets no more answers than the kernel holds, and leaves nothing behind', async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    socket.pause();
    await askOn(socket);
    expect(answers).toBeGreaterThan(0);
    expect(answers).toBeLessThan(answersMax);
    socket.destroy();
    await until('every exchange is over', () => over === answers);
    expect(answerBytesInFlight()).toBe(0);
  });
});
