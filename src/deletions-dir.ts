// DELETIONS_DIR: the files of the journal of deletions (partition/erasure/deletion-journal.ts), `key` and
// `partition-<p>.ndjson`. Next to DATA_DIR and not in it: a backup that replaces DATA_DIR must not bring an older journal.
// Beside an external NATS these are copies (nats/journal-copy.ts).
//   DD1. The key is made once, with the first record, and never changed: with another key the records name no user. So each
//        record identifies its key, and a start with another one is refused: it would record its deletions as repeated, and no
//        later start would search for their users.

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
import {dirname, join} from 'node:path';
import {FileLines, type JournalLines, linesOf, syncFolder} from './journal-lines.js';
import {jsonOrUndefined} from './json.js';
import type {Logger} from './observe.js';
import {type DeletionJournal, type JournaledDeletion, journalHash} from './partition/erasure/deletion-journal.js';
import {StartFault} from './start-fault.js';

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
export const deletionsName = (partition: number): string => `partition-${partition}.ndjson`;
const journalPath = (folder: string, partition: number): string => join(folder, deletionsName(partition));

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
    return readRecords(linesOf(tail.toString('utf8'))).records.at(-1)?.timeMs;
  } finally {
    closeSync(file);
  }
}

/**
 * Copies the journals of deletions and of revocations (revocations.ts), durably, to a new or empty folder. @returns false when
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

/** The key of a folder's journal; undefined: it has none. @throws StartFault */
export const keyIn = (folder: string): string | undefined =>
  existsSync(keyPath(folder)) ? readKey(folder).toString('base64url') : undefined;

/** Gives a folder without a key this one. */
export function writeKey(folder: string, key: string): void {
  keepKey(folder, Buffer.from(key, 'base64url'));
}

export const newKey = (): string => randomBytes(keyBytes).toString('base64url');

/** Journal of the deletions of one partition. The folder has its key. */
export class DeletionRecords implements DeletionJournal {
  private readonly folder: string;
  private readonly lines: JournalLines;
  private readonly log: Logger;
  private key: Buffer | undefined;
  private isCompared = false;

  /** `lines`: those of all processes; absent: the folder has them. */
  constructor(folder: string, partition: number, log: Logger, lines?: JournalLines) {
    this.folder = folder;
    this.lines = lines ?? new FileLines(journalPath(folder, partition));
    this.log = log;
  }

  hashOf(userHash: string): string {
    this.key ??= keepKey(this.folder);
    return journalHash(this.key, userHash);
  }

  /** @throws StartFault for records of another key. DD1 */
  async read(): Promise<readonly JournaledDeletion[]> {
    const {records, unreadable} = readRecords(await this.lines.read());
    if (records.length > 0) this.checkKeyOf(records);
    this.isCompared = true;
    if (unreadable > 0)
      this.log.error(
        {lines: unreadable},
        'lines of the journal of deletions cannot be read: a crash truncated them, or they are damaged',
      );
    return records.map(({keyMark, ...record}) => record);
  }

  private checkKeyOf(records: readonly MarkedDeletion[]): void {
    const ownKey = this.hashOf(keyMarkText);
    if (records.some(({keyMark}) => keyMark !== ownKey))
      throw new StartFault(
        `${this.lines.place} has records of another key than ${keyPath(this.folder)}, and cannot be read with it: restore the key that belongs to them, or move the records away`,
      );
  }

  async add(deletions: readonly JournaledDeletion[]): Promise<void> {
    if (!this.isCompared) await this.read();
    this.confirmKey();
    const keyMark = this.hashOf(keyMarkText);
    await this.lines.add(deletions.map((record) => JSON.stringify({...record, keyMark} satisfies MarkedDeletion)));
  }

  /** Writes the key again if the folder lost it: records must have their key next to them. DD1 */
  private confirmKey(): void {
    const known = this.key;
    this.key = keepKey(this.folder, known);
    if (known !== undefined && !known.equals(this.key))
      throw new Error(`${keyPath(this.folder)} has changed: records with the earlier key must be written again`);
  }
}

/** JL3 (journal-lines.ts) */
function readRecords(lines: readonly string[]): {records: MarkedDeletion[]; unreadable: number} {
  const records = lines.flatMap((line) => readRecord(line) ?? []);
  return {records, unreadable: lines.length - records.length};
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
