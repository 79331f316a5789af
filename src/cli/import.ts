// `npm run import`: sends files of events to a running service, one after the other. Connects the modules of import/ and sets the exit code.

import {basename, dirname, resolve} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {isoText} from '../../actors/calendar.js';
import {monotonicMs, wallMs} from '../clock.js';
import {readSecretFile} from '../secret-file.js';
import {onStopSignals} from '../stop-signals.js';
import {AdminFault} from './admin-client.js';
import {ArgumentFault, type ImportArguments, readArguments, usage} from './import/arguments.js';
import {Checkpoint} from './import/checkpoint.js';
import {Delivery, DeliveryFault, type Pace, traitsAtOnce} from './import/delivery.js';
import {assertForm} from './import/detection.js';
import {DryRun} from './import/dry-run.js';
import {type FileIdentity, identifyFile, readHead} from './import/file-identity.js';
import {createPoster, type HttpPoster} from './import/http-post.js';
import {ImportRun, Interrupted} from './import/import-run.js';
import {ImportedFiles, sha256Of} from './import/imported-files.js';
import {type LineSource, openLines} from './import/lines.js';
import {count} from './import/progress.js';
import {ProgressDisplay} from './import/progress-display.js';
import {type ResumeState, ResumeStateFile, StateFault} from './import/resume-state.js';
import {findService, type ServiceAddress} from './import/service-address.js';
import {SourceFault} from './import/source-fault.js';
import {sourceFiles} from './import/source-files.js';
import {summaryText} from './import/summary.js';
import {openUmamiTables} from './import/umami-tables.js';
import {formatOf, isTable} from './import/vendor-formats.js';

const exitAllAccepted = 0;
const exitFailed = 1;
const exitSomeRefused = 2;

/** A restart of the service takes seconds, an upgrade of its machine minutes. */
const giveUpMs = 5 * 60_000;
/** Time in which batches in flight may finish after an interruption, so that fewer are sent again. */
const graceMs = 5_000;

/** Environment: this program reads it only here. */
function environment() {
  const {DATA_DIR, MILLRACE_KEY, MILLRACE_KEY_FILE, INIT_CWD, npm_lifecycle_event} = process.env;
  // npm runs scripts in the project's folder; relative paths refer to the operator's.
  const folder = npm_lifecycle_event === 'import' && INIT_CWD ? INIT_CWD : process.cwd();
  return {
    dataDir: DATA_DIR || './data',
    key: MILLRACE_KEY || null,
    keyFile: MILLRACE_KEY_FILE ? resolve(folder, MILLRACE_KEY_FILE) : null,
    folder,
  };
}

/** @throws ArgumentFault */
function keptKey(key: string | null, keyFile: string | null): string | null {
  if (keyFile === null) return key;
  if (key !== null) throw new ArgumentFault('Set MILLRACE_KEY or MILLRACE_KEY_FILE, and not both.');
  const file = readSecretFile(keyFile);
  if (file.kind === 'bad') throw new ArgumentFault(`MILLRACE_KEY_FILE ${file.why}.`);
  return file.text;
}

async function main(): Promise<number> {
  const {dataDir, key, keyFile, folder} = environment();
  const given = readArguments(process.argv.slice(2), folder);
  if (given === null) {
    process.stdout.write(usage);
    return exitAllAccepted;
  }
  const files = await sourceFiles(given.paths, given.from);
  if (given.statePath !== undefined && files.length > 1) throw new ArgumentFault('--state is for one file.');
  for (const path of files) {
    await identifyFile(path, isTable(given.from));
    await assertForm(await readHead(path, isTable(given.from)), given, basename(path));
  }
  if (given.isDryRun) return dryRun(files, given);
  const address = await findService({url: given.url, key: given.key ?? keptKey(key, keyFile), dataDir});
  const interruption = new AbortController();
  onStopSignals(
    () => interruption.abort(),
    () => process.exit(exitFailed),
  );
  try {
    let worst = exitAllAccepted;
    for (const path of files) {
      const exitCode = await importOnce(address, given, path, interruption.signal);
      // The same command sends the rest of a folder: it passes over the files that were imported before.
      if (exitCode === 'imported_before' && files.length > 1) continue;
      if (exitCode === 'imported_before' || exitCode === exitFailed) return exitFailed;
      worst = Math.max(worst, exitCode);
    }
    return worst;
  } finally {
    // Events that were sent stay sent: a key that could not be revoked is left to the operator, and is no failure of the
    // import.
    await address.release().catch((error: Error) => void process.stderr.write(`${error.message}\n`));
  }
}

const statePathOf = (path: string, {statePath}: ImportArguments): string => statePath ?? `${path}.import-state.json`;

function openSource(path: string, given: ImportArguments): Promise<LineSource> {
  const {from, website} = given;
  if (from !== 'umami') return openLines(path, isTable(from));
  return openUmamiTables(path, {website, folder: `${statePathOf(path, given)}.rows`});
}

async function dryRun(files: readonly string[], given: ImportArguments): Promise<number> {
  let refusedCount = 0;
  for (const path of files) {
    const source = await openSource(path, given);
    const run = new DryRun(given.from && formatOf(given.from, given), wallMs());
    try {
      for await (const lines of source.chunks()) for (const line of lines) run.take(line);
    } finally {
      source.close();
    }
    process.stdout.write(run.text(basename(path)));
    refusedCount += run.refusedCount;
  }
  return refusedCount > 0 ? exitSomeRefused : exitAllAccepted;
}

async function importOnce(
  address: ServiceAddress,
  given: ImportArguments,
  path: string,
  interrupted: AbortSignal,
): Promise<number | 'imported_before'> {
  const imported = new ImportedFiles(address.dataDir ?? dirname(path), address.target);
  const sha256 = await sha256Of(path);
  const finishedAt = given.isAgain ? undefined : await imported.finishedAt(sha256);
  if (finishedAt !== undefined) {
    process.stderr.write(`${basename(path)} was imported before, at ${finishedAt}: --again imports it once more.\n`);
    return 'imported_before';
  }
  const exitCode = await importInto(address, given, path, interrupted);
  if (exitCode !== exitFailed) {
    await imported.add(sha256, path, isoText(wallMs())).catch((error: Error) => {
      process.stderr.write(`That ${basename(path)} was imported could not be noted: ${error.message}\n`);
    });
  }
  return exitCode;
}

async function importInto(
  address: ServiceAddress,
  given: ImportArguments,
  path: string,
  interrupted: AbortSignal,
): Promise<number> {
  const file = await identifyFile(path, isTable(given.from));
  const state = new ResumeStateFile(statePathOf(path, given), {
    file,
    target: address.target,
    reading: JSON.stringify([given.from, given.zone?.name, given.website, ...given.columns]),
  });
  const resumeFrom = given.isRestart ? null : await state.load();
  if (resumeFrom !== null) {
    process.stderr.write(`Resuming after line ${count(resumeFrom.line)} (${state.path}; --restart begins again).\n`);
  }
  const source = await openSource(path, given);
  const posterTo = (route: string, connections: number): HttpPoster =>
    createPoster(new URL(`${address.baseUrl}${route}`), address.key, connections);
  const posters = {
    event: posterTo('/v1/events/batch', given.laneCount),
    identify: posterTo('/v1/users/identify', given.laneCount * traitsAtOnce),
  };
  const delivery = new Delivery((body, call) => posters[call].post(body), paceUntil(interrupted), giveUpMs);
  const checkpoint = new Checkpoint(state);
  const format = given.from && formatOf(given.from, given);
  const plan = {
    source,
    format,
    fileHead: file.headSha256,
    batchEventsMax: given.batchEvents,
    laneCount: given.laneCount,
  };
  const run = new ImportRun({...plan, resumeFrom}, delivery, checkpoint);
  const interrupt = (): void => run.interrupt();
  interrupted.addEventListener('abort', interrupt);
  if (interrupted.aborted) interrupt();
  const startMs = monotonicMs();
  const display = new ProgressDisplay(process.stderr, () => progressOf(run, delivery, source, file));
  try {
    await run.writeState(); // Fails before the first event is sent if the state cannot be written.
    await run.run();
    await checkpoint.stop();
    await state.remove();
  } catch (error) {
    await Promise.race([run.idle(), pause(graceMs, undefined, {ref: false})]);
    display.stop();
    process.stderr.write(`${sentenceOf(error)}\n`);
    if (!(error instanceof StateFault)) await keepPlace(run);
    return exitFailed;
  } finally {
    interrupted.removeEventListener('abort', interrupt);
    await checkpoint.stop();
    display.stop();
    for (const poster of Object.values(posters)) poster.close();
    source.close();
  }
  return conclude(run, address, basename(path), resumeFrom, (monotonicMs() - startMs) / 1_000);
}

function conclude(
  run: ImportRun,
  address: ServiceAddress,
  fileName: string,
  resumeFrom: ResumeState | null,
  seconds: number,
): number {
  const tally = run.ledger.total();
  process.stdout.write(
    summaryText({
      fileName,
      baseUrl: address.baseUrl,
      seconds,
      tally,
      acceptedThisRun: tally.accepted - (resumeFrom?.tally.accepted ?? 0),
      areRepeatsComplete: !run.ids.isFull,
    }),
  );
  return tally.refused > 0 ? exitSomeRefused : exitAllAccepted;
}

function progressOf(run: ImportRun, delivery: Delivery, source: LineSource, file: FileIdentity) {
  const {accepted, refused} = run.ledger.total();
  const read = file.bytes === 0 ? 1 : Math.min(1, source.bytesRead() / file.bytes);
  const settled = accepted + refused;
  const {unsettled} = run.ledger;
  // Lines that were read but wait for the service are not done.
  const fraction = unsettled === 0 ? read : (read * settled) / (settled + unsettled);
  return {fraction, accepted, refused, trouble: delivery.trouble};
}

async function keepPlace(run: ImportRun): Promise<void> {
  await run.writeState();
  process.stderr.write(
    `${count(run.ledger.committedLine)} lines are settled; the same command resumes after them, and later lines that were accepted count once.\n`,
  );
}

function paceUntil(signal: AbortSignal): Pace {
  return {
    nowMs: monotonicMs,
    random: Math.random,
    sleep: (ms) =>
      pause(ms, undefined, {signal}).catch(() => {
        throw new Interrupted();
      }),
  };
}

/** Faults of the world, and messages of the file system, are sentences; anything else is a bug and shows its stack. */
function sentenceOf(error: unknown): string {
  const isExpected =
    error instanceof ArgumentFault ||
    error instanceof AdminFault ||
    error instanceof DeliveryFault ||
    error instanceof SourceFault ||
    error instanceof StateFault ||
    error instanceof Interrupted ||
    (error as NodeJS.ErrnoException).syscall !== undefined;
  return isExpected ? (error as Error).message : ((error as Error).stack ?? String(error));
}

main().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    process.stderr.write(`${sentenceOf(error)}\n`);
    if (error instanceof ArgumentFault) process.stderr.write(`\n${usage}`);
    process.exitCode = exitFailed;
  },
);
