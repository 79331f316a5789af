// A Chromium of the machine: playwright-core brings none of its own.
import {accessSync, constants} from 'node:fs';
import {delimiter, join} from 'node:path';
import {isSystemError} from '../src/system-file.js';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** CHROMIUM_BIN, else the first of the usual names on PATH; undefined: there is none. */
export function findChromium(): string | undefined {
  const {CHROMIUM_BIN: named, PATH: path = ''} = process.env;
  if (named !== undefined && named !== '') return named;
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
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
