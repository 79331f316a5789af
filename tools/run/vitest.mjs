// Runs vitest and ends with one machine-readable line: `N passed, N failed[, N skipped]`.
//   TEST_SUM_FILE names a file in which runs that follow each other add up: each line counts the runs before it, too.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
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
  const sum = withEarlier({passed, failed: failures, skipped});
  for (const {name, reason} of skipped) console.log(`skipped: ${name} (${reason})`);
  // Those of earlier runs, too: of a long output often no more than its end is kept.
  for (const {name, reason} of sum.failed) console.log(`failed: ${name}\n  ${reason}`);
  const skippedCount = sum.skipped.length === 0 ? '' : `, ${sum.skipped.length} skipped`;
  console.log(`${sum.passed} passed, ${sum.failed.length} failed${skippedCount}`);
  return failures.length === 0 ? 0 : code || 1;
}

function withEarlier(counts) {
  const {TEST_SUM_FILE: file = ''} = process.env;
  if (file === '') return counts;
  const text = readFileSync(file, 'utf8');
  const earlier = text === '' ? {passed: 0, failed: [], skipped: []} : JSON.parse(text);
  const sum = {
    passed: earlier.passed + counts.passed,
    failed: [...earlier.failed, ...counts.failed],
    skipped: [...earlier.skipped, ...counts.skipped],
  };
  writeFileSync(file, JSON.stringify(sum));
  return sum;
}
