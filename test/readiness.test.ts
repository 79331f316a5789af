// GET /readyz from the first moment that anybody can ask: 503 with the reasons until every role can do its work.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {temporaryFolder} from './support/service.js';
import {until} from './support/until.js';

const program = fileURLToPath(new URL('../dist/src/main.js', import.meta.url));

interface Readiness {
  readonly status: number;
  readonly body: {readonly status: string; readonly reasons: string[]; readonly warnings: string[]};
}

async function readiness(baseUrl: string): Promise<Readiness> {
  const answer = await fetch(`${baseUrl}/readyz`);
  return {status: answer.status, body: (await answer.json()) as Readiness['body']};
}

test('while it starts, the reasons are named; then there are none', async () => {
  const dataDir = temporaryFolder();
  const {PATH, NATS_SERVER_BIN} = process.env;
  const child = spawn(process.execPath, [program], {
    env: {PATH, NATS_SERVER_BIN, PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'error', PARTITIONS: '16'},
    stdio: 'ignore',
  });
  try {
    const note = join(dataDir, 'service.json');
    await until('it listens', () => existsSync(note));
    const {baseUrl} = JSON.parse(readFileSync(note, 'utf8')) as {baseUrl: string};
    const seen: Readiness[] = [];
    await until('it is ready', async () => {
      seen.push(await readiness(baseUrl));
      return seen.at(-1)!.status === 200;
    });
    expect(seen.at(-1)!.body).toEqual({status: 'ready', reasons: [], warnings: []});
    const before = seen.slice(0, -1);
    expect(before.length).toBeGreaterThan(0);
    const reason =
      /^partition \d+ (does not answer|is recovering|has not published a snapshot yet)$|^partition \d+: it is behind its log$|^reports (do not answer|have not loaded a snapshot of every partition yet)$/;
    for (const {status, body} of before) {
      expect([status, body.status]).toEqual([503, 'not_ready']);
      expect(body.reasons.length).toBeGreaterThan(0);
      for (const words of body.reasons) expect(words).toMatch(reason);
    }
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});
