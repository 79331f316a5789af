// The journals of deletions and revocations beside an external NATS, where several processes write them: lines in the stream JOURNAL,
// and a copy in the DELETIONS_DIR of each process that folds.
//   JC1. A line is in the stream, as every event, before the receipt or the answer. The copies follow at once.
//   JC2. A start brings what its folder has and the stream has not, before anything reads the stream: NATS was restored from a backup
//        that is older than these lines. So the folder of any one process is enough.
//   JC3. The key is that of the stream, or of the folder that comes first. A folder with another key is refused.
import {createHash} from 'node:crypto';
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {throwBroken} from '../../actors/invariant.js';
import {wallMs} from '../clock.js';
import {keyIn, newKey, writeKey} from '../deletions-dir.js';
import {FileLines, type JournalLines, journalKeptMs, lineTimeMs} from '../journal-lines.js';
import type {Logger} from '../observe.js';
import {StartFault} from '../start-fault.js';
import {putIfNewest} from './compare-and-set.js';
import {newestMessage} from './newest-message.js';
import {journalStream, journalSubject, pastElections} from './topology.js';

const keySubject = journalSubject('key');
const ending = '.ndjson';
/** Lines that are published at the same time. */
const atOnce = 64;

/** Identifies a line: it is stored once, also if several processes bring it, and known without its text. */
const idOf = (name: string, line: string): string =>
  createHash('sha256').update(`${name} ${line}`).digest('base64url').slice(0, 22);

/** A line of the stream. */
interface StoredLine {
  readonly name: string;
  readonly line: string;
  readonly sequence: number;
}

/** Lines of one journal in the stream. */
export class StreamLines implements JournalLines {
  readonly place: string;
  private readonly nc: NatsConnection;
  private readonly name: string;

  /** `name`: of the file that its copies have. */
  constructor(nc: NatsConnection, name: string) {
    this.nc = nc;
    this.name = name;
    this.place = `${name} in the stream ${journalStream}`;
  }

  async read(): Promise<readonly string[]> {
    const lines: string[] = [];
    const js = jetstream(this.nc);
    const last = await lastOf(await jetstreamManager(this.nc, {checkAPI: false}), journalSubject(this.name));
    if (last === 0) return lines;
    const messages = await messagesOf(js, journalSubject(this.name));
    for await (const message of messages) {
      lines.push(message.string());
      if (message.seq >= last) break;
    }
    await messages.close();
    return lines;
  }

  async add(lines: readonly string[]): Promise<void> {
    await publish(jetstream(this.nc), this.name, lines);
  }
}

async function publish(js: JetStreamClient, name: string, lines: readonly string[]): Promise<void> {
  for (let at = 0; at < lines.length; at += atOnce) {
    const some = lines.slice(at, at + atOnce);
    await Promise.all(some.map((line) => js.publish(journalSubject(name), line, {msgID: idOf(name, line)})));
  }
}

/** Sequence of the newest line of a subject; 0: there is none. */
async function lastOf(jsm: JetStreamManager, subject: string): Promise<number> {
  const {state} = await jsm.streams.info(journalStream, {subjects_filter: subject});
  if (Object.keys(state.subjects ?? {}).length === 0) return 0;
  return subject.endsWith('>') ? state.last_seq : ((await newestMessage(jsm, journalStream, subject))?.seq ?? 0);
}

/** Messages of a subject in the order of the stream, until they are closed. */
async function messagesOf(js: JetStreamClient, subject: string): Promise<ConsumerMessages> {
  const options = {filter_subjects: [subject], deliver_policy: DeliverPolicy.All};
  return (await js.consumers.get(journalStream, options)).consume();
}

const lineOf = (message: JsMsg): StoredLine => ({
  name: message.subject.slice(journalSubject('').length),
  line: message.string(),
  sequence: message.seq,
});

export interface JournalCopy {
  stop(): Promise<void>;
}

/** Resolves once folder and stream have the same lines; from then on the folder follows. JC2 @throws StartFault JC3 */
export async function copyJournal(nc: NatsConnection, folder: string, logger: Logger): Promise<JournalCopy> {
  const [js, jsm] = [jetstream(nc), await jetstreamManager(nc, {checkAPI: false})];
  const {messages, lines, take, brought} = await pastElections(nc, () => broughtTogether(js, jsm, folder));
  if (brought > 0)
    logger.warn(
      {lines: brought},
      'the journal of deletions in NATS lacked lines of DELETIONS_DIR (a backup was restored?) and has them again: partitions that other processes own already repeat these deletions at their next start',
    );
  void follow(lines, take, logger);
  return {stop: async () => void (await messages.close())};
}

interface Together {
  readonly messages: ConsumerMessages;
  /** What follows. */
  readonly lines: AsyncIterator<JsMsg>;
  /** Adds a line to the folder. */
  readonly take: (line: StoredLine) => Promise<void>;
  /** Number of lines that the stream got. */
  readonly brought: number;
}

/** What fails may begin again: it finds what it did before. */
async function broughtTogether(js: JetStreamClient, jsm: JetStreamManager, folder: string): Promise<Together> {
  await agreeOnKey(js, jsm, folder);
  const files = new Map<string, FileLines>();
  const known = new Set<string>();
  const fileOf = (name: string): FileLines => {
    const file = files.get(name) ?? new FileLines(join(folder, name));
    files.set(name, file);
    return file;
  };
  /** Those that the stream has not, as far as it was read. */
  const missing = new Map<string, {name: string; line: string}>();
  for (const name of readdirSync(folder).filter((each) => each.endsWith(ending)))
    for (const line of await fileOf(name).read()) {
      const id = idOf(name, line);
      if (known.has(id) || lineTimeMs(line) === undefined) continue;
      known.add(id);
      missing.set(id, {name, line});
    }
  const take = async ({name, line}: StoredLine): Promise<void> => {
    const id = idOf(name, line);
    missing.delete(id);
    if (known.has(id)) return;
    known.add(id);
    await fileOf(name).add([line]);
  };

  const last = await lastOf(jsm, journalSubject('>'));
  const messages = await messagesOf(js, journalSubject('>'));
  try {
    const lines = messages[Symbol.asyncIterator]();
    const old = new Map<string, number>();
    for (let sequence = 0; sequence < last; ) {
      const {value, done} = await lines.next();
      if (done) break; // The connection ended, which ends the process.
      const next = lineOf(value);
      sequence = next.sequence;
      if (journalSubject(next.name) === keySubject) continue;
      if ((lineTimeMs(next.line) ?? 0) < wallMs() - journalKeptMs) old.set(next.name, sequence);
      else await take(next);
    }
    for (const [name, sequence] of old) // JL2 (journal-lines.ts)
      await jsm.streams.purge(journalStream, {filter: journalSubject(name), seq: sequence + 1});
    const brought = [...missing.values()];
    for (const name of new Set(brought.map((one) => one.name)))
      await publish(
        js,
        name,
        brought.filter((one) => one.name === name).map(({line}) => line),
      );
    return {messages, lines, take, brought: brought.length};
  } catch (error) {
    await messages.close();
    throw error;
  }
}

/** Never rejects but for a broken invariant: what a copy lacks then, the next start gets. */
async function follow(
  messages: AsyncIterator<JsMsg>,
  take: (line: StoredLine) => Promise<void>,
  logger: Logger,
): Promise<void> {
  try {
    for (let next = await messages.next(); !next.done; next = await messages.next())
      if (next.value.subject !== keySubject) await take(lineOf(next.value));
  } catch (error) {
    throwBroken(error);
    logger.error({err: error}, 'DELETIONS_DIR is no copy of the journal in NATS any more: the next start completes it');
  }
}

/** JC3 */
async function agreeOnKey(js: JetStreamClient, jsm: JetStreamManager, folder: string): Promise<void> {
  const own = keyIn(folder);
  const read = async (): Promise<string | undefined> => (await newestMessage(jsm, journalStream, keySubject))?.string();
  let key = await read();
  if (key === undefined) {
    const first = own ?? newKey();
    key = (await putIfNewest(js, keySubject, first, 0)) === undefined ? await read() : first;
  }
  if (own === undefined) writeKey(folder, key!);
  else if (own !== key)
    throw new StartFault(
      `DELETIONS_DIR ${folder} has a journal of deletions of another deployment than this NATS: its key is another one; move the folder away`,
    );
}
