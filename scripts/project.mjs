// Paths of the project, helper programs, and the lock under which set-up changes files.

import {spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join, relative, resolve} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';

export const projectRoot = resolve(fileURLToPath(new URL('..', import.meta.url)));
export const cacheFolder = join(projectRoot, '.cache');
export const inProject = (...names) => join(projectRoot, ...names);

/** Hash of contents, not of times: the times of a checkout or an unpacked archive mean nothing. */
export function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files)
    hash.update(relative(projectRoot, file)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/** A fault of the set-up: one sentence for the operator, without a stack; ends the program with code 1. */
export class SetupFault extends Error {}

/** Runs a script's main function; shows a `SetupFault` as its one line. */
export async function runScript(main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof SetupFault)) throw error;
    process.stderr.write(`millrace: ${error.message}\n`);
    process.exit(1);
  }
}

/**
 * Runs a program and captures its output. Resolves when it has ended, however it ended: `code` is null when it could not be
 * started (`error` has the reason) or was ended by a signal.
 */
export async function runProgram(program, args, options = {}) {
  const child = spawn(program, args, {stdio: ['ignore', 'pipe', 'pipe'], ...options});
  const output = {stdout: '', stderr: ''};
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => (output[name] += text));
  let error;
  child.on('error', (cause) => (error = cause));
  const [code] = await new Promise((resolve) => child.once('close', (...end) => resolve(end)));
  return {code: error === undefined ? code : null, error, ...output};
}

/** Runs npm in `cwd`, as `runProgram` does. Under npm its own path is known, and may differ from the one on PATH. */
export function runNpm(words, cwd = projectRoot) {
  const [program, first] = process.env.npm_execpath ? [process.execPath, [process.env.npm_execpath]] : ['npm', []];
  return runProgram(program, [...first, ...words], {cwd});
}

/** Reason of a failure of npm, from the result of `runNpm`. */
export function npmReason({error, stderr}) {
  const lines = stderr.split('\n').filter((line) => /^npm (error|ERR!)/.test(line));
  return (error?.message ?? (lines.slice(0, 4).join(' ') || stderr)).trim();
}

const stillMs = 5_000;

/** Runs `work`, and reports every few seconds that `step` is still in progress. */
export async function underWay(say, step, work) {
  const beganMs = Date.now();
  const timer = setInterval(() => say(`${step} … ${Math.round((Date.now() - beganMs) / 1_000)} s`), stillMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

const lockFolder = join(cacheFolder, 'setup.lock');
// An installation over a slow line takes minutes; after this time the other set-up must be stuck.
const lockWaitMsMax = 600_000;
// Between creating the folder and naming its owner the owner may wait for a core: a lock without an owner of this age was left
// by a crash.
const lockOwnerlessMsMax = 5_000;

/**
 * Runs `work` under the lock: concurrent set-ups (`npm start` beside `npm test`) would overwrite each other's files. The second
 * one waits, and says so.
 */
export async function withSetupLock(say, work) {
  await underWay(say, 'waiting for another set-up of this folder', acquireSetupLock);
  try {
    return await work();
  } finally {
    rmSync(lockFolder, {recursive: true, force: true});
  }
}

async function acquireSetupLock() {
  mkdirSync(cacheFolder, {recursive: true});
  const deadlineMs = Date.now() + lockWaitMsMax;
  while (!tryLock()) {
    if (isLockStale()) removeStaleLock();
    else if (Date.now() > deadlineMs)
      throw new SetupFault(`another set-up is still running; if not, remove ${lockFolder}`);
    else await sleep(100);
  }
}

function tryLock() {
  try {
    mkdirSync(lockFolder); // Atomic: of two processes one fails.
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw new SetupFault(`cannot write to ${cacheFolder}: ${error.message}`);
  }
  writeFileSync(join(lockFolder, 'pid'), String(process.pid));
  return true;
}

function isLockStale() {
  try {
    const owner = ownerIn(lockFolder);
    if (owner === undefined) return Date.now() - statSync(lockFolder).mtimeMs > lockOwnerlessMsMax;
    return !isProcessAlive(owner);
  } catch (error) {
    if (error.code === 'ENOENT') return false; // Its owner removed it meanwhile.
    throw error;
  }
}

/** Process that holds the lock; undefined while it has not named itself: a file exists before its first byte. */
function ownerIn(folder) {
  const file = join(folder, 'pid');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text === '' ? undefined : Number(text);
}

/**
 * Moves the lock aside before removing it: of two processes that find it stale, the second must not remove the first one's new
 * lock.
 */
function removeStaleLock() {
  const aside = `${lockFolder}.stale-${process.pid}`;
  try {
    renameSync(lockFolder, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return; // Another process was faster.
    throw error;
  }
  const owner = ownerIn(aside);
  const isLive = owner !== undefined && isProcessAlive(owner);
  if (isLive && !existsSync(lockFolder)) renameSync(aside, lockFolder);
  else rmSync(aside, {recursive: true, force: true});
}

function isProcessAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
