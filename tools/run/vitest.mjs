// Runs vitest and ends with one machine-readable line: `N passed, N failed[, N skipped]`.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {inProject, projectRoot} from '../../scripts/project.mjs';

/** Resolves with the exit code. `env` is added to the environment, `words` to vitest's arguments. */
export async function runVitest(words, env) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-counts-'));
  try {
    const countsFile = join(folder, 'counts.json');
    const reporters = ['--reporter=default', `--reporter=${inProject('tools/run/count-reporter.mjs')}`];
    const vitest = inProject('node_modules/vitest/vitest.mjs');
    const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...words], {
      cwd: projectRoot,
      env: {...process.env, ...env, TEST_COUNTS_FILE: countsFile},
      stdio: 'inherit',
    });
    // Ctrl-C reaches vitest through the terminal; a SIGTERM reaches only this process.
    const pass = () => child.kill('SIGTERM');
    process.once('SIGTERM', pass);
    const [code] = await once(child, 'exit');
    process.off('SIGTERM', pass);
    return conclude(code ?? 1, readCounts(countsFile));
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}

function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return {passed: 0, failed: [], skipped: []}; // vitest ended before it ran anything.
  }
}

function conclude(code, {passed, failed, skipped}) {
  // A run that failed as a whole (no test file, a crashed worker, a failed global set-up) counts as a failure, too.
  const asWhole = {name: 'the run as a whole', reason: `vitest ended with code ${code}`};
  const failures = code !== 0 && failed.length === 0 ? [asWhole] : failed;
  for (const {name, reason} of skipped) console.log(`skipped: ${name} (${reason})`);
  for (const {name, reason} of failures) console.log(`failed: ${name}\n  ${reason}`);
  const skippedCount = skipped.length === 0 ? '' : `, ${skipped.length} skipped`;
  console.log(`${passed} passed, ${failures.length} failed${skippedCount}`);
  return failures.length === 0 ? 0 : code || 1;
}
