// Slow clients in their short form: every one is closed within its deadline, and ordinary requests are answered meanwhile.
// How fast they are answered is left to the long form: on a shared machine a short time says nothing about p99.
import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';

const program = fileURLToPath(new URL('../../dist/reliability/slow-clients/main.js', import.meta.url));
const short = ['--perSecond', '50', '--quietSeconds', '1', '--maxRatio', '0', '--lateSeconds', '15'];

async function run(...form: readonly string[]): Promise<string> {
  return promisify(execFile)(process.execPath, [program, ...short, ...form], {timeout: 280_000}).then(
    ({stdout}) => stdout,
    (error: {stdout: string; stderr: string}) => error.stdout + error.stderr,
  );
}

test('two hundred slow clients are closed within their deadlines, and harm nobody', async () => {
  const printed = await Promise.all([
    run('--sockets', '200', '--readers', '0'),
    run('--sockets', '0', '--readers', '3'),
  ]);
  for (const text of printed) expect(text).not.toMatch(/FAILED/);
  const closed = printed.map((text) => text.match(/^ok {5}\d+ x .*: closed within/gm)?.length);
  expect(closed).toEqual([8, 3]);
});
