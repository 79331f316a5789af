// The files that the process keeps in DATA_DIR beside the store of nats-server.

import {randomBytes} from 'node:crypto';
import {existsSync, mkdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {commandLine} from './command-line.js';
import {isAdminToken} from './config.js';
import {folderIdentity} from './folder-identity.js';
import type {FirstKeys} from './keys/store.js';
import {StartFault} from './start-fault.js';
import {readIfThere} from './system-file.js';

const ownerOnly = {mode: 0o600};

/** Lies in a backup until all of it is written and checked. */
export const unfinishedBackup = 'unfinished-backup';

/** Throws a `StartFault` when the folder cannot be used; nothing that is in it is touched. */
export function checkDataDir(dataDir: string): void {
  if (existsSync(join(dataDir, unfinishedBackup)))
    throw new StartFault(`DATA_DIR ${dataDir} is a backup that was not finished: parts of it are missing`);
  const probe = join(dataDir, `write-probe.${process.pid}`);
  try {
    makeFolder(dataDir);
    writeFileSync(probe, '', ownerOnly);
    rmSync(probe);
  } catch (cause) {
    throw new StartFault(`DATA_DIR ${dataDir} is not writable: ${(cause as Error).message}`, {cause});
  }
}

/** Not `recursive: true`: under a parent that allows no folders (/proc) Node 20 would try for ever. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (path !== dirname(path)) makeFolder(dirname(path));
  try {
    mkdirSync(path, {mode: 0o700});
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** The token of the admin routes when the environment names none: made once, readable by the owner only. */
export function keepAdminToken(dataDir: string): string {
  const path = join(dataDir, 'admin-token');
  const kept = readIfThere(path)?.trim();
  if (kept !== undefined && kept !== '') {
    if (isAdminToken(kept)) return kept;
    throw new StartFault(`${path} holds no admin token: delete it to get a new one, or set ADMIN_TOKEN`);
  }
  const token = newToken();
  writeWhole(path, `${token}\n`);
  return token;
}

/**
 * Keys that a start created, in a file for the owner: where standard output is no terminal it is kept as a log, and read by
 * more people than the keys are for. As a shell reads variables. Written once, never read, and the operator's to delete.
 * @returns its path. Throws a `StartFault`: nobody else knows the keys.
 */
export function writeFirstKeys(dataDir: string, {write, secret}: FirstKeys): string {
  const path = join(dataDir, 'first-keys');
  const lines = [
    '# Shown only once: store the keys where they are used, then delete this file. The service never reads it.',
  ];
  if (write !== undefined) lines.push(`WRITE_KEY=${write}`);
  if (secret !== undefined) lines.push(`SECRET_KEY=${secret}`);
  try {
    writeWhole(path, `${lines.join('\n')}\n`);
  } catch (cause) {
    const cure = `start again, then make others with "${commandLine('keys', 'create')}"`;
    throw new StartFault(`the first keys could not be written to ${path}: ${(cause as Error).message}; ${cure}`, {
      cause,
    });
  }
  return path;
}

/** How tools of this machine (keys, import) find the running service. */
export interface ServiceNote {
  readonly baseUrl: string;
  /** Where the routes of operators are: the same, or that of ADMIN_PORT. */
  readonly adminUrl: string;
  readonly pid: number;
  /** Opens what the admin token opens, and dies with the process: a note that a kill left behind opens nothing. */
  readonly token: string;
  /** Tells deployments apart, also those that had this folder one after the other. */
  readonly deployment: string;
  /** Identity of the DATA_DIR that the service runs on: a copy of that has a copy of this note. */
  readonly folder: string;
}

/** For `ServiceNote.token`. */
export const newToken = (): string => randomBytes(32).toString('base64url');

const serviceNotePath = (dataDir: string): string => join(dataDir, 'service.json');

export function writeServiceNote(dataDir: string, note: Omit<ServiceNote, 'folder'>): void {
  const whole: ServiceNote = {...note, folder: folderIdentity(dataDir)};
  writeWhole(serviceNotePath(dataDir), `${JSON.stringify(whole)}\n`);
}

/**
 * Undefined: no service runs on the folder, as far as it says. One that was killed leaves its note behind.
 * @throws Error when the note cannot be read.
 */
export function readServiceNote(dataDir: string): ServiceNote | undefined {
  const path = serviceNotePath(dataDir);
  try {
    const text = readIfThere(path);
    if (text === undefined) return undefined;
    const note = JSON.parse(text) as ServiceNote;
    return note.folder === folderIdentity(dataDir) ? note : undefined;
  } catch (cause) {
    throw new Error(`${path} cannot be read: ${(cause as Error).message}`, {cause});
  }
}

export function removeServiceNote(dataDir: string): void {
  rmSync(serviceNotePath(dataDir), {force: true});
}

/** Readers see all of it or nothing. */
function writeWhole(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, ownerOnly);
  renameSync(draft, path);
}
