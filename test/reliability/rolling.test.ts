// Restarts under clients that retry, in the short form. The long form: `npm run rolling -- --restarts N [--kill]`.
import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';

const program = fileURLToPath(new URL('../../dist/reliability/rolling/main.js', import.meta.url));
const canRun = process.platform === 'linux' && process.env.TEST_NATS_URL === undefined;

// Idle, it takes a few seconds.
const timeout = 300_000;

test.skipIf(!canRun).each([
  ['SIGTERM', []],
  ['SIGKILL', ['--kill']],
])(
  'a restart by %s under load: no request fails in the end, nothing is lost or double',
  {timeout},
  async (signal, words) => {
    const run = promisify(execFile)(process.execPath, [program, '--restarts', '1', ...words], {
      timeout: timeout - 10_000,
    });
    const {stdout, stderr} = await run.catch((error: {stdout: string; stderr: string}) => error);
    expect(stderr).toBe('');
    expect(stdout).toContain(`1 restarts by ${signal}`);
    expect(stdout).toMatch(/\d{3,} events acknowledged, 0 failed, 0 lost, 0 double, 0 invented/);
  },
);
