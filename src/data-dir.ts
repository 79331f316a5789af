// The process's own files in DATA_DIR, next to the store of nats-server.

import {randomBytes} from 'node:crypto';
import {existsSync, mkdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type {MemberRole} from '../actors/cluster/records.js';
import {commandLine} from './command-line.js';
import {isAdminToken} from './config.js';
import {folderIdentity} from './folder-identity.js';
import {jsonOrUndefined} from './json.js';
import type {FirstKeys} from './keys/store.js';
import {StartFault} from './start-fault.js';
import {readIfThere} from './system-file.js';

const ownerOnly = {mode: 0o600};

/** A backup contains this file until all of it is written and checked. */
export const unfinishedBackup = 'unfinished-backup';

/** @throws StartFault when the folder cannot be used; changes nothing in it. */
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

/** Not `recursive: true`: under a parent that allows no folders (/proc) Node 20 would retry for ever. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (path !== dirname(path)) makeFolder(dirname(path));
  try {
    mkdirSync(path, {mode: 0o700});
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** The token of the admin routes if the environment has none: created once, readable by its owner only. */
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
 * Writes the keys that a start created to a file that only its owner can read, as shell variables, if standard output is not a
 * terminal: then a log stores that output for more readers. The program writes it once and never reads it; the operator deletes
 * it.
 * @returns its path. @throws StartFault: no other copy of the keys exists.
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

/** The note through which tools on this machine (keys, import) find the running service. */
export interface ServiceNote {
  readonly baseUrl: string;
  /** Address of the operators' routes: the same, or that of ADMIN_PORT. */
  readonly adminUrl: string;
  readonly pid: number;
  /** Has the permissions of the admin token until the process ends: the note of a killed process has none. */
  readonly token: string;
  /** Identifies the deployment: a folder may have had several, one after the other. */
  readonly deployment: string;
  /** Identity of the service's DATA_DIR: a copy of that folder has a copy of this note. */
  readonly folder: string;
}

const memberPath = (dataDir: string, role: MemberRole): string => join(dataDir, `member-${role}`);

/** Notes the member of the cluster that this process is: the next start on this folder knows that it is over. */
export function keepMember(dataDir: string, role: MemberRole, id: string): void {
  writeWhole(memberPath(dataDir, role), `${JSON.stringify({id, folder: folderIdentity(dataDir)})}\n`);
}

/** The member that an earlier process on this folder was; a copy of the folder has none. */
export function formerMember(dataDir: string, role: MemberRole): string | undefined {
  const text = readIfThere(memberPath(dataDir, role)) ?? '';
  const note = jsonOrUndefined(text) as {id?: unknown; folder?: unknown} | undefined;
  return typeof note?.id === 'string' && note.folder === folderIdentity(dataDir) ? note.id : undefined;
}

/** A new value of `ServiceNote.token`. */
export const newToken = (): string => randomBytes(32).toString('base64url');

const serviceNotePath = (dataDir: string): string => join(dataDir, 'service.json');

export function writeServiceNote(dataDir: string, note: Omit<ServiceNote, 'folder'>): void {
  const whole: ServiceNote = {...note, folder: folderIdentity(dataDir)};
  writeWhole(serviceNotePath(dataDir), `${JSON.stringify(whole)}\n`);
}

/**
 * Undefined: no service has left a note in the folder. A killed service leaves its note.
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

/** Writes atomically: readers see all of the text or none. */
function writeWhole(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, ownerOnly);
  renameSync(draft, path);
}
