// Results as JSON, with what is needed to compare them later: the machine, the versions, the options.

import {mkdirSync, writeFileSync} from 'node:fs';
import {cpus, totalmem} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {wallMs} from '../src/clock.js';
import type {BenchName, BenchOptions} from './options.js';

const defaultFolder = fileURLToPath(new URL('../../bench/results', import.meta.url));

/** Returns the path of the file. */
export function writeResults(bench: BenchName, options: BenchOptions, report: object): string {
  const folder = options.resultsFolder ?? defaultFolder;
  mkdirSync(folder, {recursive: true});
  const time = new Date(wallMs()).toISOString();
  const path = join(folder, `${bench}-${time.replace(/[:.]/g, '-')}.json`);
  writeFileSync(path, `${JSON.stringify({bench, time, machine: machine(), options, report}, null, 1)}\n`);
  return path;
}

function machine() {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryMib: Math.round(totalmem() / 2 ** 20),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
  };
}
