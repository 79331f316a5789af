// Deadlines of half a minute at their real length, all at the same time: together they take as long as the longest of them.

import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {describe, test} from 'vitest';
import {isRunning} from '../src/process-life.js';
import {Client, expectJson} from './support/http.js';
import {hasOwnNats, natsServerPid, startService} from './support/service.js';
import {until} from './support/until.js';

const program = fileURLToPath(new URL('../dist/reliability/slow-clients/main.js', import.meta.url));
const short = ['--perSecond', '50', '--quietSeconds', '1', '--maxRatio', '0', '--lateSeconds', '15'];

async function slowClients(...form: readonly string[]): Promise<string> {
  return promisify(execFile)(process.execPath, [program, ...short, ...form], {timeout: 280_000}).then(
    ({stdout}) => stdout,
    (error: {stdout: string; stderr: string}) => error.stdout + error.stderr,
  );
}

// docs/operating.md: a drain has 25 s. The rest is a busy machine.
const drainMsMax = 25_000 + 30_000;

describe.concurrent('at the same time', () => {
  // `npm run slow-clients` in its short form. How fast ordinary requests are answered meanwhile is left to the long form: on a
  // shared machine a short time says nothing about p99.
  test('two hundred slow clients are closed within their deadlines, and harm nobody', async ({expect}) => {
    const printed = await Promise.all([
      slowClients('--sockets', '200', '--readers', '0'),
      slowClients('--sockets', '0', '--readers', '3'),
    ]);
    for (const text of printed) expect(text).not.toMatch(/FAILED/);
    const closed = printed.map((text) => text.match(/^ok {5}\d+ x .*: closed within/gm)?.length);
    expect(closed).toEqual([8, 3]);
  });

  test.skipIf(!hasOwnNats)(
    'a stop with a NATS that is silent ends all the same, says so, and loses nothing',
    async ({expect}) => {
      const service = await startService();
      const writer = new Client(service.baseUrl, service.writeKey);
      expectJson(await writer.post('/v1/events', {event: 'before', userId: 'silent'}), 200);
      const server = natsServerPid(service)!;
      process.kill(server, 'SIGSTOP');
      const startedMs = performance.now();
      expect(await service.stop()).toBe(1);
      expect(performance.now() - startedMs).toBeLessThan(drainMsMax);
      expect(service.logs()).toContain('not drained within 25 s');
      await until('its nats-server is gone', () => !isRunning(server));

      const again = await startService({dataDir: service.dataDir});
      const found = await new Client(again.baseUrl, again.secretKey).get('/v1/events?userId=silent');
      expect(found.json<{data: {event: string}[]}>().data.map(({event}) => event)).toEqual(['before']);
      expect(await again.stop()).toBe(0);
    },
  );
});
