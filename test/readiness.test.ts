// GET /readyz of an edge without the roles that it asks: 503 with every reason, whatever answers by itself.
//   What else it can say: test/metrics.test.ts (silence, late reports), test/edge/drain.test.ts (stopping),
//   test/disk-space.test.ts, test/damaged-parts.test.ts.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {readinessOfReports} from '../src/edge/readiness.js';
import {ask} from '../tools/http-client.js';
import {scrape} from './support/metrics.js';
import {temporaryFolder} from './support/service.js';
import {until} from './support/until.js';

const program = fileURLToPath(new URL('../dist/service/main.js', import.meta.url));

test('snapshots that do not agree are a warning while the last ones that did answer, and else the reason', () => {
  const status = {kind: 'status', ready: true, asOfMs: 0, damagedParts: {}, outdated: [1, 3]} as const;
  const cause = 'the newest snapshot of partitions 1, 3 does not agree with the others on which users moved';
  expect(readinessOfReports(status)).toEqual({
    reasons: [],
    warnings: [`reports stay as of 1970-01-01T00:00:00.000Z, and some are answered 503: ${cause}`],
    notes: [],
  });
  expect(readinessOfReports({...status, ready: false, asOfMs: null})).toEqual({
    reasons: [`reports are answered 503: ${cause}`],
    warnings: [],
    notes: [],
  });
});

test('roles that nobody plays are reasons, and shown as down', async () => {
  const dataDir = temporaryFolder();
  const {PATH, NATS_SERVER_BIN} = process.env;
  const child = spawn(process.execPath, [program], {
    env: {PATH, NATS_SERVER_BIN, PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'warn', PARTITIONS: '2', ROLES: 'edge'},
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr!.on('data', (bytes: Buffer) => {
    log += bytes.toString();
  });
  try {
    const note = join(dataDir, 'service.json');
    await until('it listens', () => existsSync(note));
    const {baseUrl} = JSON.parse(readFileSync(note, 'utf8')) as {baseUrl: string};
    const answer = await ask(`${baseUrl}/readyz`);
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    expect(answer.json()).toEqual({
      status: 'not_ready',
      reasons: ['partition 0 does not answer', 'partition 1 does not answer', 'reports do not answer'],
      warnings: [],
      notes: [],
    });
    expect((await ask(`${baseUrl}/healthz`)).status).toBe(200);
    const metrics = await scrape(baseUrl);
    expect(metrics.sum('millrace_ready')).toBe(0);
    const up = metrics.find('millrace_up').map(({labels, value}) => [labels.role, labels.partition, value]);
    expect(up).toEqual([
      ['edge', '', 1],
      ['partition', '0', 0],
      ['partition', '1', 0],
      ['report', '', 0],
    ]);
    await until('its log says so', () => log.includes('events are stored but not processed'));
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});
