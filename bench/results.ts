// Results as JSON, with what is needed to compare them later: the machine, the versions, the options.

import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {wallMs} from '../src/clock.js';
import {host, versions} from './machine/host.js';
import type {BenchOptions} from './options.js';

const defaultFolder = fileURLToPath(new URL('../../bench/results', import.meta.url));

/** Returns the path of the file. */
export function writeResults(bench: string, options: BenchOptions, report: object): string {
  const folder = options.resultsFolder ?? defaultFolder;
  mkdirSync(folder, {recursive: true});
  const time = new Date(wallMs()).toISOString();
  const path = join(folder, `${bench}-${time.replace(/[:.]/g, '-')}.json`);
  const content = {bench, time, host: host(), versions: versions(), options, report};
  writeFileSync(path, `${JSON.stringify(content, null, 1)}\n`);
  return path;
}
