// Keys, definitions, lines of the record and messages to webhooks that were there and are gone: a damaged or missing stream looks
// like an empty one.
//   Owns:    a note in DATA_DIR of what these streams had, and the alarm `definitions_lost`.
//   LR1. The note lists names of records that exist, and the sequence of the newest line. A removed record keeps its name in its
//        bucket, with an empty text, so a name that is gone was lost.
//        Messages to webhooks are removed at any place, but the newest sequence never goes back.
//   LR2. The note belongs to one deployment. A missing, unreadable or foreign note says nothing.
//   LR3. A loss stays raised for a day, also over restarts: the note has it. What cannot be read stays raised while that is so.
import {mkdirSync, renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {z} from 'zod';
import {dayMs} from '../../actors/limits.js';
import type {deadLettersStream, triggersStream} from '../nats/topology.js';
import type {Logger} from '../observe.js';
import {readIfThere} from '../system-file.js';

/** Streams that the note is about, and what they have. */
export interface FoundRecords {
  /** Names by bucket, those of removed records, too. LR1 */
  readonly names: Readonly<Record<'keys' | 'hooks', readonly string[]>>;
  readonly lines: {readonly first: number; readonly last: number; readonly count: number};
  /** Messages to webhooks, by their stream. */
  readonly messages: Readonly<Record<MessageStream, FoundMessages>>;
}

type MessageStream = typeof triggersStream | typeof deadLettersStream;

export interface FoundMessages {
  /** The newest sequence. */
  readonly last: number;
  /** Some are stored and cannot be read. */
  readonly areDamaged: boolean;
}

const names = z.array(z.string()).readonly();
const sequence = z.number();
const noteForm = z.object({
  deployment: z.string(),
  names: z.object({keys: names, hooks: names}),
  lastLine: sequence,
  lastMessages: z.object({OUT: sequence, DEAD: sequence}),
  /** The newest loss. LR3 */
  lost: z.object({atMs: z.number(), what: z.string()}).optional(),
});
type Note = z.infer<typeof noteForm>;

interface LostRecordsOptions {
  readonly dataDir: string;
  /** Tells the deployment from others, and reveals nothing. */
  readonly deployment: string;
  /** Names of the records that exist, by bucket. */
  readonly names: () => Note['names'];
  /** Names of all records that were ever stored, removed ones included, by bucket. */
  readonly everStored: () => FoundRecords['names'];
  readonly lines: () => Promise<FoundRecords['lines']>;
  readonly lastMessages: () => Promise<Note['lastMessages']>;
  /** Streams with messages that cannot be read. Asked once. */
  readonly damagedMessages: () => Promise<readonly MessageStream[]>;
  /** Names of stored definitions that cannot be read. */
  readonly unreadable: () => readonly string[];
  readonly wallMs: () => number;
  readonly logger: Pick<Logger, 'error' | 'warn'>;
}

const namesShownMax = 20;

/** What a note has and the streams have not, in words; undefined: nothing. LR1 */
export function lossOf(
  {names, lastLine, lastMessages}: Pick<Note, 'names' | 'lastLine' | 'lastMessages'>,
  found: FoundRecords,
): string | undefined {
  const lines = lostLines(lastLine, found.lines);
  const losses = [
    ...lostNames(names.keys, found.names.keys, 'keys (KV_keys)'),
    ...lostNames(names.hooks, found.names.hooks, 'definitions (KV_hooks)'),
    ...(lines === undefined ? [] : [`${lines} lines of the record (RECORD)`]),
    ...lostMessages(lastMessages.OUT, found.messages.OUT, 'messages that waited for webhooks (OUT)'),
    ...lostMessages(lastMessages.DEAD, found.messages.DEAD, 'dead letters (DEAD)'),
  ];
  return losses.length === 0 ? undefined : losses.join('; ');
}

/** Only the oldest lines are ever removed, and never the newest: lines have no gap. */
function lostLines(noted: number, {first, last, count}: FoundRecords['lines']): number | 'all' | undefined {
  if (count === 0) return noted > 0 ? 'all' : undefined;
  const lost = Math.max(0, noted - last) + Math.max(0, last - first + 1 - count);
  return lost > 0 ? lost : undefined;
}

/** Some of those that are gone may have been delivered. */
function lostMessages(noted: number, {last, areDamaged}: FoundMessages, of: string): string[] {
  const gone = Math.max(0, noted - last);
  return [...(gone > 0 ? [`up to ${gone} ${of}`] : []), ...(areDamaged ? [`${of} that cannot be read`] : [])];
}

function lostNames(noted: readonly string[], found: readonly string[], of: string): string[] {
  const there = new Set(found);
  const lost = noted.filter((name) => !there.has(name));
  if (lost.length === 0) return [];
  const shown = lost.slice(0, namesShownMax).join(', ');
  return [`${lost.length} ${of}: ${shown}${lost.length > namesShownMax ? ' …' : ''}`];
}

async function foundMessages({lastMessages, damagedMessages}: LostRecordsOptions): Promise<FoundRecords['messages']> {
  const [last, damaged] = [await lastMessages(), await damagedMessages()];
  const of = (stream: MessageStream): FoundMessages => ({last: last[stream], areDamaged: damaged.includes(stream)});
  return {OUT: of('OUT'), DEAD: of('DEAD')};
}

export class LostRecords {
  private readonly path: string;
  private lost: Note['lost'];
  private written = '';
  private notedNames = '';

  private constructor(private readonly options: LostRecordsOptions) {
    this.path = join(options.dataDir, 'positions', 'records.json');
  }

  /** Compares the note with what is there, and notes that. */
  static async open(options: LostRecordsOptions): Promise<LostRecords> {
    const records = new LostRecords(options);
    const {logger, wallMs, everStored, lines} = options;
    const noted = records.read();
    records.lost = noted?.lost;
    const what =
      noted && lossOf(noted, {names: everStored(), lines: await lines(), messages: await foundMessages(options)});
    if (what !== undefined) records.lost = {atMs: wallMs(), what};
    for (const line of records.warnings()) logger.error({alarm: 'definitions_lost'}, `alarm: ${line}`);
    await records.note();
    return records;
  }

  /** One line a loss that is raised now. */
  warnings(): string[] {
    const {wallMs, unreadable} = this.options;
    const names = unreadable();
    const isRecent = this.lost !== undefined && wallMs() - this.lost.atMs < dayMs;
    return [
      ...(isRecent ? [`records are lost: ${this.lost!.what}; restore a backup, or create them again`] : []),
      ...(names.length > 0
        ? [
            `${names.length} definitions (KV_hooks) cannot be read, and the service runs without them: ${names.slice(0, namesShownMax).join(', ')}; restore a backup, or create them again`,
          ]
        : []),
    ];
  }

  /** Notes what is there if a name came or went since the last note. */
  async noteChanges(): Promise<void> {
    if (JSON.stringify(this.options.names()) !== this.notedNames) await this.note();
  }

  /** Notes what is there. Never fails: on a full disk the older note stays. */
  async note(): Promise<void> {
    const {deployment, logger} = this.options;
    try {
      const names = this.options.names();
      this.notedNames = JSON.stringify(names);
      const {last} = await this.options.lines();
      const lastMessages = await this.options.lastMessages();
      const note: Note = {deployment, names, lastLine: last, lastMessages, ...(this.lost && {lost: this.lost})};
      const text = `${JSON.stringify(note)}\n`;
      if (text === this.written) return;
      mkdirSync(join(this.options.dataDir, 'positions'), {recursive: true, mode: 0o700});
      writeFileSync(`${this.path}.draft`, text, {mode: 0o600, flush: true});
      renameSync(`${this.path}.draft`, this.path);
      this.written = text;
    } catch (error) {
      logger.warn(
        {reason: (error as Error).message},
        'what keys, definitions and messages there are cannot be noted in DATA_DIR',
      );
    }
  }

  /** LR2 */
  private read(): Note | undefined {
    const {deployment, logger} = this.options;
    try {
      const text = readIfThere(this.path);
      if (text === undefined) return undefined;
      const {data: note, success} = noteForm.safeParse(JSON.parse(text));
      if (!success) throw new Error('it is not of the form that this version writes');
      return note?.deployment === deployment ? note : undefined;
    } catch (error) {
      logger.warn(
        {reason: (error as Error).message},
        'the note of keys and definitions cannot be read: no loss is looked for',
      );
      return undefined;
    }
  }
}
