// Finds PostgreSQL's programs: on the PATH or, with Debian and its derivatives, in a folder for each version.

import {accessSync, constants, existsSync, readdirSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {isSystemError} from '../../src/system-file.js';

const versionsFolder = '/usr/lib/postgresql';

/** The path of `initdb`, `postgres` or `psql`; null: not installed. The newest version wins. */
export function postgresProgram(name: string): string | null {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return [...packaged(name), ...onPath].find(isProgram) ?? null;
}

function packaged(name: string): string[] {
  if (!existsSync(versionsFolder)) return []; // Another system's layout.
  const versions = readdirSync(versionsFolder).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(versionsFolder, version, 'bin', name));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}
