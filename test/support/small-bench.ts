// Benches in their small form, as `npm run bench` runs them.

import {execFile} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {temporaryFolder} from './service.js';

export const benchProgram = fileURLToPath(new URL('../../dist/bench/main.js', import.meta.url));

/** Of one, and of several: shorter than who waits for them. A bench that hangs is told to end, and ends what it started. */
const [smallMsMax, togetherMsMax] = [250_000, 550_000];

/** Runs one bench in its small form, with these options; returns what it printed and its result file. */
export async function runSmall(name: string, ...options: readonly string[]) {
  const {stdout, results} = await runSmallWords([name], options);
  return {stdout, result: results[name]};
}

/** Runs several, one after the other: those that ask about the same data set share it. */
export function runSmallTogether(...names: readonly string[]) {
  return runSmallWords(names, []);
}

async function runSmallWords(names: readonly string[], options: readonly string[]) {
  const folder = temporaryFolder();
  const words = [benchProgram, ...names, '--small', ...options, '--results', folder];
  const {stdout} = await promisify(execFile)(process.execPath, words, {
    timeout: names.length === 1 ? smallMsMax : togetherMsMax,
  });
  const results = readdirSync(folder).map((file) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')));
  return {stdout, results: Object.fromEntries(results.map((result) => [result.bench, result]))};
}
