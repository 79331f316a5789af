// Pooled clients that are idle for as long as connections last (answer-head.ts, A2): one that reads `Keep-Alive` leaves
// first, and no request meets the close.
import {Agent, get} from 'node:http';
import {monitorEventLoopDelay} from 'node:perf_hooks';
import {setTimeout as pause} from 'node:timers/promises';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {Exchange} from '../../src/edge/http/exchange.js';
import type {HttpApp} from '../../src/edge/http/transport.js';
import {RawConnection} from '../http11/raw-connection.js';
import {exchangeHost} from '../support/exchange-host.js';
import {transports} from '../support/transports.js';

const host = exchangeHost();
const clients = 120;
/** Each client rests for another time, all around the 8 to 12 s after which the library ends a connection. */
const gapMs = (client: number): number => 7_000 + (client * 5_500) / clients;

describe.each(transports)('$name', (transport) => {
  let app: HttpApp;
  let baseUrl = '';

  beforeAll(async () => {
    app = transport.newApp();
    app.any((res, req) => {
      const exchange = new Exchange(res, req, host);
      res.onAborted(() => exchange.abort());
      exchange.json('200 OK', '{}');
    });
    baseUrl = `http://127.0.0.1:${await app.listen('127.0.0.1', 0)}`;
  });

  afterAll(() => {
    app.close();
  });

  /** @returns the codes of what failed. */
  async function askTwice(ask: () => Promise<void>): Promise<string[]> {
    const failed: string[] = [];
    const tried = (): Promise<void> =>
      ask().catch((error: NodeJS.ErrnoException & {cause?: NodeJS.ErrnoException}) => {
        failed.push(error.code ?? error.cause?.code ?? error.message);
      });
    await Promise.all(
      Array.from({length: clients}, async (_, client) => {
        await tried();
        await pause(gapMs(client));
        await tried();
      }),
    );
    return failed;
  }

  describe.concurrent('over gaps of 7 to 12.5 s', () => {
    test("Node's agent meets no reset", async ({expect}) => {
      const agent = new Agent({keepAlive: true, timeout: 60_000});
      const ask = (): Promise<void> =>
        new Promise((resolve, reject) => {
          get(`${baseUrl}/agent`, {agent}, (answer) => answer.resume().on('end', resolve)).on('error', reject);
        });
      expect(await askTwice(ask)).toEqual([]);
      agent.destroy();
    });

    test('undici (fetch) meets no reset', async ({expect}) => {
      expect(await askTwice(async () => void (await (await fetch(`${baseUrl}/undici`)).text()))).toEqual([]);
    });

    test('a connection that was answered lasts at least as long as its answer says', async () => {
      const begunMs = performance.now();
      // The server is of this process, whose turns are its clock: a late one is late for the answer, not for the end.
      const lateness = monitorEventLoopDelay({resolution: 1});
      lateness.enable();
      const lastedMs = await Promise.all(
        Array.from({length: 20}, async (_, at) => {
          const connection = await RawConnection.open(baseUrl);
          await pause(at * 50);
          await connection.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
          const [answer] = await connection.untilAnswers(1);
          expect(answer!.headers.get('keep-alive')).toBe('timeout=8');
          const answeredMs = performance.now();
          expect(await connection.untilClosed(60_000)).toBe(true);
          return performance.now() - answeredMs;
        }),
      );
      lateness.disable();
      expect(Math.min(...lastedMs) + lateness.max / 1e6).toBeGreaterThanOrEqual(7_990);
      expect(performance.now() - begunMs).toBeGreaterThan(8_000);
    });
  });
});
