// A Chromium of the machine: playwright-core brings none of its own.
import {accessSync, constants} from 'node:fs';
import {delimiter, join} from 'node:path';
import {type Browser, chromium} from 'playwright-core';
import {isSystemError} from '../src/system-file.js';

/** The one without windows first: the same pages take it a third less CPU. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];

/** CHROMIUM_BIN, else the first of the usual names on PATH; undefined: there is none. */
export function findChromium(): string | undefined {
  const {CHROMIUM_BIN: named, PATH: path = ''} = process.env;
  if (named !== undefined && named !== '') return named;
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}

/** `rules`: more arguments of Chromium. */
export async function launchChromium(executablePath: string, rules: readonly string[] = []): Promise<Browser> {
  // As root, as in containers, Chromium refuses to start with its sandbox.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', ...rules];
  return chromium.launch({executablePath, args});
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return false;
  }
}
