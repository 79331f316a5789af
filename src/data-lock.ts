// One process per DATA_DIR: two nats-servers on one store would destroy it.
//   The lock is the file `lock.<n>` with the highest n. Taking it is linking `lock.<n+1>`, which only one can, once the
//   holder of `lock.<n>` is known to be gone. (Removing a stale lock and making a new one cannot be done in one step:
//   of two that find it stale, the second would remove the lock that the first just made.)
//   L1. A generation is never used twice: the highest file stays, also after a release.
//   L2. Who linked a generation holds the lock only if none is higher afterwards (lower ones are removed by holders,
//       so a slow taker can succeed in linking a number that is long past).
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
  /** The lock lasts while this child lives, even when its parent is killed: it may still write below the folder. */
  addHolder(pid: number): void;
  release(): void;
}

/** Somebody else has the folder. */
export class DataDirBusy extends StartFault {}

/** A process, told apart from a later one with the same pid by the time it started (where the system shows that). */
export interface Holder {
  readonly pid: number;
  readonly startTicks: string | null;
}

interface LockRecord {
  readonly holders: readonly Holder[];
  /**
   * Pids mean something only here: host name and, on Linux, the pid name space (containers share volumes) and the boot (hosts
   * may share a name).
   */
  readonly pidSpace: string;
  /** Identity of the folder that is held. L3 */
  readonly folder: string;
}

// A predecessor that was killed leaves a nats-server that needs a moment to close its store, and is killed when it does not
// (nats/server/embedded.ts): on a busy machine that shows late.
const endingMsMax = 20_000;
const pollMs = 20;
const heartbeatMs = 1_000;
// Five missed beats: a busy event loop of the holder must not lose the lock.
const foreignSilenceMs = 5_000;

/**
 * Waits for what a killed predecessor left behind; throws `DataDirBusy` when another process has the folder.
 * `onLost` is called when the lock vanishes under its holder (the folder was removed, or this process was stopped for so
 * long that another container took it for dead), or cannot be renewed: it must end without writing more. A folder that takes
 * no lock (its disk is full) is a `StartFault`.
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

/** Throws `DataDirBusy` when another process has the folder now. Waits for nothing that is ending, and writes nothing. */
export async function refuseHeldDataDir(folder: string): Promise<void> {
  const highest = existsSync(folder) ? highestGeneration(folder) : 0;
  if (highest === 0 || (await holderState(folder, highest)) !== 'held') return;
  throw new DataDirBusy(describeHolder(folder, highest));
}

/**
 * The processes that have the folder, the service first, then its nats-server's guard; undefined where none has. Throws
 * `DataDirBusy` where they are in another container or on another host.
 */
export async function holdersHere(folder: string): Promise<readonly Holder[] | undefined> {
  const highest = existsSync(folder) ? highestGeneration(folder) : 0;
  if (highest === 0 || (await holderState(folder, highest)) !== 'held') return undefined;
  const record = readRecord(join(folder, `lock.${highest}`));
  if (record === undefined) return undefined;
  if (!isOfHere(record, folder))
    throw new DataDirBusy(`${describeHolder(folder, highest)}, in a container or on a host of its own`);
  return record.holders;
}

function tryTake(folder: string, generation: number): boolean {
  const path = join(folder, `lock.${generation}`);
  const draft = join(folder, `lock-draft.${process.pid}`);
  try {
    writeFileSync(draft, recordOf(folder, [process.pid]), {mode: 0o600});
    linkSync(draft, path); // With its content at once: nobody reads half a record.
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
  new StartFault(`DATA_DIR ${folder} takes no lock: ${(cause as Error).message}`, {cause});

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
        if (!(error instanceof StartFault)) throw error; // A full disk: that its holder is gone shows by itself.
      }
    },
  };
}

/** What is wrong with it, if anything. */
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

/** `ending`: the process itself is gone, its child still closes the store. */
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

/** Pids of another container, host or folder say nothing here; its heartbeat does. */
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

/** Undefined for a record that a full disk or a power cut cut short: its writer is gone. */
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
