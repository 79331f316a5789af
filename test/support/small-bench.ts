// Benches in their small form, as `npm run bench` runs them.

import {execFile} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {temporaryFolder} from './service.js';

export const benchProgram = fileURLToPath(new URL('../../dist/bench/main.js', import.meta.url));

/** Runs one bench in its small form; returns what it printed and its result file. */
export async function runSmall(name: string) {
  const folder = temporaryFolder();
  const {stdout} = await promisify(execFile)(process.execPath, [benchProgram, name, '--small', '--results', folder]);
  const [file] = readdirSync(folder);
  return {stdout, result: JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'))};
}
