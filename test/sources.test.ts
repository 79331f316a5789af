// All sources, tests included: types, formatting, lint. Tests run on transpiled sources, which checks no type.
import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What the command printed if it failed. */
async function complaints(command: string, args: readonly string[]): Promise<string> {
  const bin = `${root}node_modules/.bin/${command}`;
  const run = promisify(execFile)(bin, args, {cwd: root});
  return run.then(
    () => '',
    (error: {stdout: string; stderr: string}) => error.stdout + error.stderr,
  );
}

test('every source has sound types', async () => {
  expect(await complaints('tsc', ['-p', 'test/tsconfig.json'])).toBe('');
  expect(await complaints('tsc', ['-p', 'dashboard/tsconfig.json'])).toBe('');
});

/** Here an element of an array may be absent until it is shown to be there. In the folders of loops over columns it is not so. */
const watchedFolders = /^src\/(edge|ingest|keys|cli)\//;

test('what is read at an index in the folders of the edge is there, or its absence is dealt with', async () => {
  const options = ['-p', '.', '--noEmit', '--incremental', 'false', '--tsBuildInfoFile', 'null', '--pretty', 'false'];
  const lines = (await complaints('tsc', [...options, '--noUncheckedIndexedAccess'])).split('\n');
  expect(lines.length).toBeGreaterThan(100); // Of the other folders.
  expect(lines.filter((line) => watchedFolders.test(line))).toEqual([]);
});

test('every source is formatted and passes the linter', async () => {
  expect(await complaints('biome', ['check', '--error-on-warnings'])).toBe('');
});
