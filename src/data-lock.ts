// One process per DATA_DIR: two nats-servers on one store would destroy it.
//   The lock is the file `lock.<n>` with the highest n. A process takes it by linking `lock.<n+1>`, which only one can, once the
//   holder of `lock.<n>` has ended. (Removing a stale lock and making a new one are two steps: of two processes that find it
//   stale, the second would remove the lock that the first has just made.)
//   L1. A generation is never used twice: the highest file stays, also after a release.
//   L2. The process that linked a generation holds the lock only if none is higher afterwards (holders remove lower ones, so a
//       slow process can link a number that is long past).
//   L3. A record names its folder, and its pids count for that folder alone: a copy of a folder in use has the lock file of the
//       original, whose holder lives. A holder keeps touching its own file and no copy of it, so a record of another folder,
//       container or host is judged by that.

import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {hostname} from 'node:os';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {monotonicMs, wallMs} from './clock.js';
import {folderIdentity} from './folder-identity.js';
import {jsonOrUndefined} from './json.js';
import {isRunning, startTicksOf} from './process-life.js';
import {StartFault} from './start-fault.js';
import {readIfReadable, readIfThere} from './system-file.js';

export interface DataLock {
  /** The lock lasts while this child lives, even if its parent is killed: it may still write below the folder. */
  addHolder(pid: number): void;
  release(): void;
}

/** Another process has the folder. */
export class DataDirBusy extends StartFault {}

/** A process; its start time tells it from a later one with the same pid (where the system has that). */
export interface Holder {
  readonly pid: number;
  readonly startTicks: string | null;
}

interface LockRecord {
  readonly holders: readonly Holder[];
  /**
   * Pids are valid only here: host name and, on Linux, the pid name space (containers share volumes) and the boot (hosts may share
   * a name).
   */
  readonly pidSpace: string;
  /** Identity of the held folder. L3 */
  readonly folder: string;
}

// The nats-server of a killed predecessor needs a moment to close its store, and is killed when it does not
// (nats/server/embedded.ts), which takes longer on a busy machine.
const endingMsMax = 20_000;
const pollMs = 20;
const heartbeatMs = 1_000;
// Five missed beats: a holder with a busy event loop must not lose the lock.
const foreignSilenceMs = 5_000;

/**
 * Waits for the nats-server of a killed predecessor. @throws DataDirBusy when another process has the folder, StartFault for a
 * folder that takes no lock (its disk is full). `onLost` is called when the lock vanishes (the folder was removed, or this
 * process was stopped for so long that another container took it for dead), or cannot be renewed: the process must end without
 * further writes.
 */
export async function lockDataDir(folder: string, onLost: (why: string) => void): Promise<DataLock> {
  const deadlineMs = monotonicMs() + endingMsMax;
  for (;;) {
    const highest = highestGeneration(folder);
    const state = highest === 0 ? 'gone' : await holderState(folder, highest);
    if (state === 'held' || (state === 'ending' && monotonicMs() > deadlineMs)) {
      throw new DataDirBusy(describeHolder(folder, highest));
    }
    if (state === 'ending') await delay(pollMs);
    else if (tryTake(folder, highest + 1)) return holdLock(folder, highest + 1, onLost);
  }
}

/** @throws DataDirBusy when another process has the folder now. Does not wait for one that is ending, and writes nothing. */
export async function refuseHeldDataDir(folder: string): Promise<void> {
  const highest = existsSync(folder) ? highestGeneration(folder) : 0;
  if (highest === 0 || (await holderState(folder, highest)) !== 'held') return;
  throw new DataDirBusy(describeHolder(folder, highest));
}

/**
 * The processes that have the folder, the service first, then its nats-server's guard; undefined without any.
 * @throws DataDirBusy when they are in another container or on another host.
 */
export async function holdersHere(folder: string): Promise<readonly Holder[] | undefined> {
  const highest = existsSync(folder) ? highestGeneration(folder) : 0;
  if (highest === 0 || (await holderState(folder, highest)) !== 'held') return undefined;
  const record = readRecord(join(folder, `lock.${highest}`));
  if (record === undefined) return undefined;
  if (!isOfHere(record, folder))
    throw new DataDirBusy(`${describeHolder(folder, highest)}, in another container or on another host`);
  return record.holders;
}

function tryTake(folder: string, generation: number): boolean {
  const path = join(folder, `lock.${generation}`);
  const draft = join(folder, `lock-draft.${process.pid}`);
  try {
    writeFileSync(draft, recordOf(folder, [process.pid]), {mode: 0o600});
    linkSync(draft, path); // With its content: no process reads half a record.
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cannotLock(folder, error);
  } finally {
    rmSync(draft, {force: true});
  }
  if (highestGeneration(folder) === generation) return true;
  rmSync(path, {force: true}); // L2
  return false;
}

const cannotLock = (folder: string, cause: unknown): StartFault =>
  new StartFault(`DATA_DIR ${folder} cannot be locked: ${(cause as Error).message}`, {cause});

function holdLock(folder: string, generation: number, onLost: (why: string) => void): DataLock {
  const path = join(folder, `lock.${generation}`);
  for (const lower of generations(folder)) if (lower < generation) rmSync(join(folder, `lock.${lower}`), {force: true});
  const write = (pids: readonly number[]): void => {
    const draft = join(folder, `lock-draft.${process.pid}`);
    try {
      writeFileSync(draft, recordOf(folder, pids), {mode: 0o600});
      renameSync(draft, path);
    } catch (cause) {
      rmSync(draft, {force: true});
      throw cannotLock(folder, cause);
    }
  };
  const heartbeat = setInterval(() => {
    const fault = touch(path);
    if (fault === undefined) return;
    clearInterval(heartbeat);
    onLost(fault);
  }, heartbeatMs);
  heartbeat.unref();
  return {
    addHolder: (pid) => write([process.pid, pid]),
    release() {
      clearInterval(heartbeat);
      try {
        write([]); // L1
      } catch (error) {
        if (!(error instanceof StartFault)) throw error; // A full disk: others see that the holder has ended.
      }
    },
  };
}

/** Why the lock is lost, if it is. */
function touch(path: string): string | undefined {
  const now = wallMs() / 1_000;
  try {
    utimesSync(path, now, now);
    return undefined;
  } catch (error) {
    const {code, message} = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'is gone' : `cannot be renewed (${message})`;
  }
}

export const isAlive = ({pid, startTicks}: Holder): boolean => isRunning(pid, startTicks);

// -- is it held? ------------------------------------------------------------------------------------------------------

/** `ending`: the process has ended, its child still closes the store. */
async function holderState(folder: string, generation: number): Promise<'held' | 'ending' | 'gone'> {
  const path = join(folder, `lock.${generation}`);
  const record = readRecord(path);
  const [owner, ...children] = record?.holders ?? [];
  if (record === undefined || owner === undefined) return 'gone';
  if (!isOfHere(record, folder)) return (await isBeating(path)) ? 'held' : 'gone'; // L3
  if (isAlive(owner)) return 'held';
  return children.some(isAlive) ? 'ending' : 'gone';
}

const isOfHere = (record: LockRecord, folder: string): boolean =>
  record.pidSpace === pidSpace() && record.folder === folderIdentity(folder);

/** Pids of another container, host or folder are meaningless here; its heartbeat is not. */
async function isBeating(path: string): Promise<boolean> {
  const seen = modifiedMs(path);
  const deadlineMs = monotonicMs() + foreignSilenceMs;
  while (monotonicMs() < deadlineMs) {
    if (modifiedMs(path) !== seen) return true;
    await delay(pollMs);
  }
  return false;
}

function pidSpace(): string {
  const boot = readIfReadable('/proc/sys/kernel/random/boot_id')?.trim();
  // No /proc (macOS): no pid name spaces either.
  return boot === undefined ? hostname() : `${hostname()} ${readlinkSync('/proc/self/ns/pid')} ${boot}`;
}

// -- files ------------------------------------------------------------------------------------------------------------

function recordOf(folder: string, pids: readonly number[]): string {
  const holders = pids.map((pid): Holder => ({pid, startTicks: startTicksOf(pid)}));
  return JSON.stringify({holders, pidSpace: pidSpace(), folder: folderIdentity(folder)} satisfies LockRecord);
}

/** Undefined for a record that a full disk or a power cut truncated: its writer has ended. */
function readRecord(path: string): LockRecord | undefined {
  return jsonOrUndefined(readIfThere(path) ?? '') as LockRecord | undefined;
}

function generations(folder: string): number[] {
  mkdirSync(folder, {recursive: true});
  return readdirSync(folder).flatMap((name) => (/^lock\.\d+$/.test(name) ? [Number(name.slice(5))] : []));
}

const highestGeneration = (folder: string): number => Math.max(0, ...generations(folder));

function describeHolder(folder: string, generation: number): string {
  const pids = readRecord(join(folder, `lock.${generation}`))?.holders.map(({pid}) => pid) ?? [];
  return `DATA_DIR ${folder} is in use by another Millrace (pid ${pids.join(', ')})`;
}

function modifiedMs(path: string): number | undefined {
  return statSync(path, {throwIfNoEntry: false})?.mtimeMs;
}
