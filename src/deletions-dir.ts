// DELETIONS_DIR: the files of the journal of deletions (partition/erasure/deletion-journal.ts), `key` and
// `partition-<p>.ndjson`. Next to DATA_DIR and not in it: a backup that replaces DATA_DIR must not bring an older journal.
//   DD1. The key is made once, with the first record, and never changed: with another key the records name no user. So each
//        record identifies its key, and a start with another one is refused: it would record its deletions as repeated, and no
//        later start would search for their users.
//   DD2. A record is kept for 400 days: longer than any backup should be.

import {randomBytes} from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import {type FileHandle, open, readFile, rename} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {monotonicMs, wallMs} from './clock.js';
import {jsonOrUndefined} from './json.js';
import type {Logger} from './observe.js';
import {type DeletionJournal, type JournaledDeletion, journalHash} from './partition/erasure/deletion-journal.js';
import {StartFault} from './start-fault.js';

const dayMs = 86_400_000;
/** DD2 */
const keptMs = 400 * dayMs;
const keyBytes = 32;
/** Enough for several records. */
const tailBytes = 4_096;

/** Its hash identifies the key: no user's hash is that of this text. DD1 */
const keyMarkText = 'key';

/** A record as its line has it. */
interface MarkedDeletion extends JournaledDeletion {
  readonly keyMark: string;
}

const ownerOnly = {mode: 0o600};
const keyPath = (folder: string): string => join(folder, 'key');
const journalPath = (folder: string, partition: number): string => join(folder, `partition-${partition}.ndjson`);

/** @throws StartFault when deletions could not be recorded; creates nothing. */
export function checkDeletionsDir(folder: string): void {
  try {
    accessSync(existsSync(folder) ? folder : dirname(folder), constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new StartFault(
      `DELETIONS_DIR ${folder} is not writable, and without it a restored backup would bring deleted users back: ${(cause as Error).message}`,
      {cause},
    );
  }
  if (existsSync(keyPath(folder))) readKey(folder);
  else refuseLostKey(folder);
}

/** Refuses records without their key: a new key would name no user in them. DD1 */
function refuseLostKey(folder: string): void {
  if (!existsSync(folder) || !readdirSync(folder).some((name) => /^partition-\d+\.ndjson$/.test(name))) return;
  throw new StartFault(
    `the key of the journal of deletions is missing from DELETIONS_DIR ${folder}, and its records cannot be read without it: restore the key from a copy, or move the records away`,
  );
}

function readKey(folder: string): Buffer {
  const key = Buffer.from(readFileSync(keyPath(folder), 'utf8').trim(), 'base64url');
  if (key.length !== keyBytes) throw new StartFault(`${keyPath(folder)} is not the key of a journal of deletions`);
  return key;
}

/** DD1. When two threads make a key at the same time, the first one's stays. `known`: the key that was read last. */
function keepKey(folder: string, known?: Buffer): Buffer {
  if (existsSync(keyPath(folder))) return readKey(folder);
  if (known === undefined) refuseLostKey(folder);
  mkdirSync(folder, {recursive: true, mode: 0o700});
  const draft = join(folder, `key-draft.${process.pid}.${randomBytes(4).toString('hex')}`);
  const file = openSync(draft, 'wx', ownerOnly.mode);
  try {
    writeFileSync(file, `${(known ?? randomBytes(keyBytes)).toString('base64url')}\n`, {flush: true});
    linkSync(draft, keyPath(folder));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(file);
    rmSync(draft, {force: true});
  }
  return readKey(folder);
}

/** Time of a partition's newest record, epoch ms; undefined without any. */
export function newestDeletionMs(folder: string, partition: number): number | undefined {
  const path = journalPath(folder, partition);
  if (!existsSync(path)) return undefined;
  const file = openSync(path, 'r');
  try {
    const {size} = fstatSync(file);
    const tail = Buffer.alloc(Math.min(tailBytes, size));
    readSync(file, tail, 0, tail.length, size - tail.length);
    return readRecords(tail.toString('utf8')).records.at(-1)?.timeMs;
  } finally {
    closeSync(file);
  }
}

/**
 * Copies the journals of deletions and of revocations (revocation-file.ts), durably, to a new or empty folder. @returns false when
 * there is none.
 */
export async function copyDeletions(folder: string, target: string): Promise<boolean> {
  if (!existsSync(folder)) return false;
  const names = readdirSync(folder).filter((name) => name === 'key' || name.endsWith('.ndjson'));
  if (names.length === 0) return false;
  mkdirSync(target, {recursive: true, mode: 0o700});
  for (const name of names)
    writeFileSync(join(target, name), readFileSync(join(folder, name)), {...ownerOnly, flush: true});
  await syncFolder(target);
  await syncFolder(dirname(target));
  return true;
}

export class DeletionFile implements DeletionJournal {
  private readonly folder: string;
  private readonly path: string;
  private readonly log: Logger;
  private key: Buffer | undefined;
  private trimmedMs = Number.NEGATIVE_INFINITY;

  constructor(folder: string, partition: number, log: Logger) {
    this.folder = folder;
    this.path = journalPath(folder, partition);
    this.log = log;
  }

  hashOf(userHash: string): string {
    this.key ??= keepKey(this.folder);
    return journalHash(this.key, userHash);
  }

  /** @throws StartFault for records of another key. DD1 */
  async read(): Promise<readonly JournaledDeletion[]> {
    if (!existsSync(this.path)) return [];
    const {records, unreadable} = readRecords(await readFile(this.path, 'utf8'));
    const ownKey = this.hashOf(keyMarkText);
    if (records.some(({keyMark}) => keyMark !== ownKey))
      throw new StartFault(
        `${this.path} has records of another key than ${keyPath(this.folder)}, and cannot be read with it: restore the key that belongs to them, or move the records away`,
      );
    if (unreadable > 0)
      this.log.error(
        {lines: unreadable},
        'lines of the journal of deletions cannot be read: a crash truncated them, or they are damaged',
      );
    return records.map(({keyMark, ...record}) => record);
  }

  async add(deletions: readonly JournaledDeletion[]): Promise<void> {
    this.confirmKey();
    if (monotonicMs() - this.trimmedMs > dayMs) await this.trim();
    const isNew = !existsSync(this.path);
    const file = await open(this.path, 'a+', ownerOnly.mode);
    try {
      const start = (await endsWhole(file)) ? '' : '\n'; // DJ4
      await file.appendFile(start + this.linesOf(deletions));
      await file.sync();
    } finally {
      await file.close();
    }
    if (isNew) await this.syncFolders();
  }

  /** Writes the key again if the folder lost it: records must have their key next to them. DD1 */
  private confirmKey(): void {
    const known = this.key;
    this.key = keepKey(this.folder, known);
    if (known !== undefined && !known.equals(this.key))
      throw new Error(`${keyPath(this.folder)} has changed: records with the earlier key must be written again`);
  }

  /** Removes old records. DD2 */
  private async trim(): Promise<void> {
    const records = await this.read();
    const kept = records.filter(({timeMs}) => timeMs >= wallMs() - keptMs);
    if (kept.length < records.length) {
      const draft = `${this.path}.draft`;
      const file = await open(draft, 'w', ownerOnly.mode);
      try {
        await file.writeFile(this.linesOf(kept));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, this.path);
      await this.syncFolders();
    }
    this.trimmedMs = monotonicMs();
  }

  private linesOf(records: readonly JournaledDeletion[]): string {
    const keyMark = this.hashOf(keyMarkText);
    return records.map((record) => `${JSON.stringify({...record, keyMark} satisfies MarkedDeletion)}\n`).join('');
  }

  private async syncFolders(): Promise<void> {
    await syncFolder(this.folder);
    await syncFolder(dirname(this.folder));
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync();
  await folder.close();
}

async function endsWhole(file: FileHandle): Promise<boolean> {
  const {size} = await file.stat();
  if (size === 0) return true;
  const {buffer} = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}

/** DJ4. The first line of a part of a file may be truncated. */
function readRecords(text: string): {records: MarkedDeletion[]; unreadable: number} {
  const records: MarkedDeletion[] = [];
  let unreadable = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const record = readRecord(line);
    if (record === undefined) unreadable += 1;
    else records.push(record);
  }
  return {records, unreadable};
}

function readRecord(line: string): MarkedDeletion | undefined {
  const record = jsonOrUndefined(line) as Partial<MarkedDeletion> | null | undefined;
  const {id, user, devices, position, expiresLogicalMs, timeMs, keyMark} = record ?? {};
  const isWhole =
    Array.isArray(devices) &&
    [id, user, keyMark, ...devices].every((text) => typeof text === 'string') &&
    [position?.generation, position?.sequence, expiresLogicalMs, timeMs].every(Number.isFinite);
  return isWhole ? (record as MarkedDeletion) : undefined;
}
