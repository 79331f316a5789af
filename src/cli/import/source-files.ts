// The files that an import is asked for: those that are named, and those in folders that are named, sorted by path.

import {readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {importedFilesName} from './imported-files.js';
import {SourceFault} from './source-fault.js';

/** Of a folder: whatever else is in it is not imported. */
const isSource = (name: string): boolean =>
  /\.(ndjson|jsonl|json|gz|br|zip)$/.test(name) &&
  !/^\.|\.import-state\.json$/.test(name) &&
  name !== importedFilesName;

export async function sourceFiles(paths: readonly string[]): Promise<readonly string[]> {
  const files: string[] = [];
  for (const path of paths) files.push(...(await filesAt(path)));
  return [...new Set(files)];
}

async function filesAt(path: string): Promise<readonly string[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false, // Whoever reads the file says what is wrong with it.
  );
  if (!isFolder) return [path];
  const inside = (await readdir(path, {recursive: true, withFileTypes: true}))
    .filter((entry) => entry.isFile() && isSource(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
  if (inside.length === 0) throw new SourceFault(`no file in ${path} ends in .ndjson, .jsonl, .json, .gz, .br or .zip`);
  return inside;
}
