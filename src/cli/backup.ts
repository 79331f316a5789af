// `npm run backup`: a consistent copy of a DATA_DIR, also of a running service; a start can use it as its DATA_DIR.
//   B1. The copy is of one instant (backup/still-server.ts): it contains every event that was answered before the backup began.
//   B2. The copy is read back, and a nats-server of its own opens it, before it counts as a backup. Until then it is marked as
//       unfinished, and no start takes it.

import {existsSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {isoText} from '../../actors/calendar.js';
import {UnknownFormat} from '../../actors/manifest.js';
import {wallMs} from '../clock.js';
import {commandLine} from '../command-line.js';
import {deletionsDirOf} from '../config.js';
import {unfinishedBackup} from '../data-dir.js';
import {type Holder, holdersHere, lockDataDir} from '../data-lock.js';
import {copyDeletions} from '../deletions-dir.js';
import {connectFirst} from '../nats/client/connection.js';
import {startEmbeddedNats} from '../nats/server/embedded.js';
import {type CheckedPartition, checkStore} from '../nats/store-check.js';
import {createLogger} from '../observe.js';
import {StartFault} from '../start-fault.js';
import {program} from '../version.js';
import {BackupFault} from './backup/backup-fault.js';
import {markRestored} from './backup/restored-notes.js';
import {whileStill} from './backup/still-server.js';
import {StoreImage} from './backup/store-image.js';

const usage = `Usage: ${commandLine('backup', 'DIR')}

Copies the DATA_DIR (default ./data) of a service with the embedded nats-server into DIR, which must be new or empty.
The service may run: its nats-server is paused for a moment, and writes wait for it.
The journal of deletions is copied to DIR-deletions.
To restore, start with DATA_DIR=DIR, or move DIR to the place of the old DATA_DIR.
`;

/** Says which version wrote the backup, whose format may be another's one day. No program reads it. */
const writerFile = 'written-by';

interface Environment {
  readonly dataDir: string;
  readonly deletionsDir: string;
  readonly serverBin: string;
  readonly isNatsExternal: boolean;
  /** Folder of the operator's shell: npm runs scripts in the project's folder, and relative paths refer to the operator's. */
  readonly folder: string;
}

/** Environment: this program reads it only here. */
function environment(): Environment {
  const {DATA_DIR, DELETIONS_DIR, NATS_SERVER_BIN, NATS_URL, INIT_CWD, npm_lifecycle_event} = process.env;
  const dataDir = resolve(DATA_DIR || './data');
  return {
    dataDir,
    deletionsDir: resolve(DELETIONS_DIR || deletionsDirOf(dataDir)),
    serverBin: NATS_SERVER_BIN ?? '',
    isNatsExternal: Boolean(NATS_URL),
    folder: npm_lifecycle_event === 'backup' && INIT_CWD ? INIT_CWD : process.cwd(),
  };
}

/** Runs a command; returns its output for stdout. */
async function run(words: readonly string[], given: Environment): Promise<string> {
  const [word, ...rest] = words;
  if (word === undefined || rest.length > 0 || word.startsWith('-')) {
    if (word === '--help' || word === '-h') return usage;
    throw new BackupFault(`name a folder for the backup.\n${usage}`);
  }
  const target = resolve(given.folder, word);
  checkSource(given);
  checkTarget(target, given.dataDir);
  checkTarget(deletionsDirOf(target), given.dataDir);
  mkdirSync(target, {recursive: true, mode: 0o700});
  writeFileSync(join(target, unfinishedBackup), '', {mode: 0o600}); // B2
  try {
    return await backUp(given, target);
  } catch (error) {
    for (const name of readdirSync(target)) rmSync(join(target, name), {recursive: true, force: true});
    rmSync(deletionsDirOf(target), {recursive: true, force: true});
    throw error;
  }
}

function checkSource({dataDir, isNatsExternal}: Environment): void {
  if (isNatsExternal || !existsSync(join(dataDir, 'nats', 'jetstream')))
    throw new BackupFault(
      `${dataDir} contains no store: an external NATS has the events. Stop the service and NATS, and copy the storage of NATS and DATA_DIR together.`,
    );
}

function checkTarget(target: string, dataDir: string): void {
  if (`${target}/`.startsWith(`${dataDir}/`))
    throw new BackupFault(`${target} is inside DATA_DIR: a backup there would keep deleted users.`);
  if (existsSync(target) && readdirSync(target).length > 0) throw new BackupFault(`${target} is not empty.`);
}

async function backUp({dataDir, deletionsDir, serverBin}: Environment, target: string): Promise<string> {
  const {image, how} = await imageOf(dataDir);
  try {
    const {bavail, bsize} = statfsSync(target);
    if (bavail * bsize < image.bytes)
      throw new BackupFault(`${target} has room for ${bavail * bsize} bytes, and the backup has ${image.bytes}.`);
    await image.copyTo(target);
  } finally {
    image.close();
  }
  const partitions = await openCopy(target, serverBin);
  markRestored(target);
  // After the image: a start of the backup repeats the deletions that are younger than it.
  const hasJournal = await copyDeletions(deletionsDir, deletionsDirOf(target));
  writeFileSync(join(target, writerFile), `${program}, ${isoText(wallMs())}\n`, {mode: 0o600, flush: true});
  rmSync(join(target, unfinishedBackup));
  const lines = partitions.map(
    ({partition, snapshot, lastSequence}) =>
      `  partition ${partition}: log up to ${lastSequence}, ${snapshot === null ? 'no snapshot yet' : `snapshot at ${snapshot.generation}.${snapshot.sequence}`}\n`,
  );
  const journal = hasJournal
    ? `${deletionsDirOf(target)}: the journal of deletions\n`
    : `no journal of deletions is in ${deletionsDir}: no user was deleted yet, or DELETIONS_DIR is a different folder\n`;
  return `${target}: ${image.count} files, ${image.bytes} bytes, read back and opened; ${how}\n${lines.join('')}${journal}`;
}

/** Takes the image of one instant. B1 */
async function imageOf(dataDir: string): Promise<{image: StoreImage; how: string}> {
  const guard = (await holdersHere(dataDir))?.at(-1);
  if (guard !== undefined) return imageOfRunning(dataDir, guard);
  const lock = await lockDataDir(dataDir, () => {});
  try {
    return {image: StoreImage.take(dataDir), how: 'no service ran'};
  } finally {
    lock.release();
  }
}

async function imageOfRunning(dataDir: string, guard: Holder): Promise<{image: StoreImage; how: string}> {
  const {seen, stillMs} = await whileStill(dataDir, guard, () => StoreImage.take(dataDir));
  return {image: seen, how: `the service ran, its nats-server was paused for ${Math.ceil(stillMs)} ms`};
}

/** Opens the copy with a nats-server. B2 */
async function openCopy(target: string, serverBin: string): Promise<CheckedPartition[]> {
  const lock = await lockDataDir(target, () => {});
  const logger = createLogger('error', 'backup');
  const nats = await startEmbeddedNats({dataDir: target, serverBin, lock, logger});
  try {
    const nc = await connectFirst(nats.address, 'millrace-backup');
    try {
      return await checkStore(nc);
    } catch (cause) {
      if (cause instanceof UnknownFormat)
        throw new BackupFault(`${cause.message}: back it up with that version.`, {cause});
      throw new BackupFault(`the store is damaged: ${(cause as Error).message}.`, {cause});
    } finally {
      await nc.close();
    }
  } finally {
    await nats.stop();
    lock.release();
    for (const name of ['ports', 'server.conf', 'server.err', 'server.log'])
      rmSync(join(nats.folder, name), {recursive: true, force: true});
  }
}

try {
  process.stdout.write(await run(process.argv.slice(2), environment()));
} catch (error) {
  if (!(error instanceof BackupFault || error instanceof StartFault)) throw error;
  process.stderr.write(`No backup was made: ${error.message}\n`);
  process.exitCode = 1;
}
