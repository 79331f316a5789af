// Where the system's packages put PostgreSQL: on the PATH, or, with Debian and its kin, in a folder for each version.

import {accessSync, constants, readdirSync} from 'node:fs';
import {delimiter, join} from 'node:path';

const versionsFolder = '/usr/lib/postgresql';

/** The path of `initdb`, `postgres` or `psql`; null: not installed. The newest version wins. */
export function postgresProgram(name: string): string | null {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return [...packaged(name), ...onPath].find(isProgram) ?? null;
}

function packaged(name: string): string[] {
  try {
    const versions = readdirSync(versionsFolder).sort((a, b) => Number(b) - Number(a));
    return versions.map((version) => join(versionsFolder, version, 'bin', name));
  } catch {
    return []; // Another system's layout.
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
