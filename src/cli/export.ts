// `npm run export`: all events and the traits of all known users of a running service, as a file that `npm run import` takes. The
// service may be of another version: this is the way from a version to one with another format of stored data.

import {createWriteStream, existsSync, renameSync, rmSync} from 'node:fs';
import {basename, resolve} from 'node:path';
import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {parseArgs} from 'node:util';
import {createGzip} from 'node:zlib';
import {commandLine} from '../command-line.js';
import {AdminFault} from './admin-client.js';
import {type Exported, ExportFault, exportedLines, type Get} from './export/exported-lines.js';
import {count} from './import/progress.js';
import {findService, type ServiceAddress} from './import/service-address.js';

const usage = `Usage: ${commandLine('export', 'FILE.ndjson[.gz] [options]')}

Writes all events and the traits of all known users of a running service to FILE, which must not exist; gzip if its name ends
in .gz. ${commandLine('import', 'FILE')} takes the file, also into a service of another version.

  --url URL         the service (default: the one that runs on DATA_DIR, ./data)
  --key sk_read_…   a read or secret key (default: MILLRACE_KEY; else a temporary one is created)
  --help            this text

The events are those of the newest reports: what was answered 200 since then is in the next export.
`;

/** The message is a sentence for the operator. */
class ArgumentFault extends Error {}

interface Arguments {
  readonly path: string;
  readonly url: string | null;
  readonly key: string | null;
}

/** Null: the usage is requested. @throws ArgumentFault */
function readArguments(words: readonly string[], folder: string): Arguments | null {
  try {
    const {values, positionals} = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {url: {type: 'string'}, key: {type: 'string'}, help: {type: 'boolean', short: 'h', default: false}},
    });
    if (values.help) return null;
    const [file, ...others] = positionals;
    if (file === undefined || others.length > 0) throw new ArgumentFault('Name one file to write.');
    const path = resolve(folder, file);
    if (existsSync(path)) throw new ArgumentFault(`${path} exists: name a new file.`);
    return {path, url: values.url ?? null, key: values.key ?? null};
  } catch (cause) {
    if (cause instanceof ArgumentFault) throw cause;
    throw new ArgumentFault(`${(cause as Error).message}.`, {cause});
  }
}

/** Environment: this program reads it only here. */
function environment(): {dataDir: string; key: string | null; folder: string} {
  const {DATA_DIR, MILLRACE_KEY, INIT_CWD, npm_lifecycle_event} = process.env;
  // npm runs scripts in the project's folder; relative paths refer to the operator's.
  const folder = npm_lifecycle_event === 'export' && INIT_CWD ? INIT_CWD : process.cwd();
  return {dataDir: DATA_DIR || './data', key: MILLRACE_KEY || null, folder};
}

async function main(): Promise<void> {
  const {dataDir, key, folder} = environment();
  const given = readArguments(process.argv.slice(2), folder);
  if (given === null) {
    process.stdout.write(usage);
    return;
  }
  const {path, url} = given;
  const address = await findService({url, key: given.key ?? key, dataDir, keyName: 'export', keyKind: 'read'});
  // A key that could not be revoked is left to the operator, and is no failure of the export.
  const release = (): Promise<void> =>
    address.release().catch((error: Error) => void process.stderr.write(`${error.message}\n`));
  const exported: Exported = {events: 0, users: 0, asOf: ''};
  const draft = `${path}.unfinished`;
  try {
    const file = createWriteStream(draft, {mode: 0o600, flush: true});
    const lines = Readable.from(exportedLines(getFrom(address), exported));
    await (path.endsWith('.gz') ? pipeline(lines, createGzip(), file) : pipeline(lines, file));
    renameSync(draft, path);
  } finally {
    rmSync(draft, {force: true});
    await release();
  }
  process.stdout.write(
    `Exported ${count(exported.events)} events as of ${exported.asOf}, and ${count(exported.users)} users, to ${basename(path)}.\n`,
  );
}

/** Status 410 is an answer, too: its reader begins again. */
function getFrom({baseUrl, key}: ServiceAddress): Get {
  return async (path) => {
    const answer = await fetch(baseUrl + path, {headers: {authorization: `Bearer ${key}`}}).catch((cause: Error) => {
      throw new ExportFault(`The service at ${baseUrl} does not answer: ${cause.message}.`, {cause});
    });
    if (answer.ok || answer.status === 410) return answer;
    throw new ExportFault(`The service refused ${path} (${answer.status}): ${await answer.text()}`);
  };
}

main().catch((error: unknown) => {
  const isExpected =
    error instanceof ArgumentFault ||
    error instanceof AdminFault ||
    error instanceof ExportFault ||
    (error as NodeJS.ErrnoException).syscall !== undefined;
  process.stderr.write(`${isExpected ? (error as Error).message : ((error as Error).stack ?? String(error))}\n`);
  if (error instanceof ArgumentFault) process.stderr.write(`\n${usage}`);
  process.exitCode = 1;
});
