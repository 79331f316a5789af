// The files that an import is asked for: those that are named, and those in folders that are named, sorted by path.

import {readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {importedFilesName} from './imported-files.js';
import {SourceFault} from './source-fault.js';
import {isUmamiSource} from './umami-tables.js';
import {isTable, type VendorName} from './vendor-formats.js';

/** Of a folder: whatever else is in it is not imported. */
const isSource = (name: string, from: VendorName | undefined): boolean =>
  (from !== 'umami' || isUmamiSource(name)) &&
  (isTable(from) ? /\.(csv|csv\.gz|csv\.br|zip)$/ : /\.(ndjson|jsonl|json|gz|br|zip)$/).test(name) &&
  !/^\.|\.import-state\.json$/.test(name) &&
  name !== importedFilesName;

export async function sourceFiles(paths: readonly string[], from?: VendorName): Promise<readonly string[]> {
  const files: string[] = [];
  for (const path of paths) files.push(...(await filesAt(path, from)));
  return [...new Set(files)];
}

async function filesAt(path: string, from: VendorName | undefined): Promise<readonly string[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false, // Whoever reads the file says what is wrong with it.
  );
  if (!isFolder) return [path];
  const inside = (await readdir(path, {recursive: true, withFileTypes: true}))
    .filter((entry) => entry.isFile() && isSource(entry.name, from))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
  const endings = isTable(from) ? '.csv, .csv.gz, .csv.br' : '.ndjson, .jsonl, .json, .gz, .br';
  if (inside.length === 0) throw new SourceFault(`no file in ${path} ends in ${endings} or .zip`);
  return inside;
}
