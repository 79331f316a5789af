// The feeding process: creates the workload's events as they are needed, sends them in batches, and writes the same JSON, one
// event a line, for peers to load. Ten million events are never in memory at once.

import {closeSync, openSync, writeSync} from 'node:fs';
import {setTimeout as pause} from 'node:timers/promises';
import {Connection} from '../load/connection.js';
import {batchRequest} from '../load/requests.js';
import {type WorkloadEvent, type WorkloadOptions, workloadEvents} from '../workload/events.js';

export type ToFeed =
  /** Begins a workload at its first event. `linesPath`: file of the lines; null: none. */
  | {readonly kind: 'begin'; readonly workload: WorkloadOptions; readonly linesPath: string | null}
  /** Sends the next events. */
  | {
      readonly kind: 'feed';
      readonly host: string;
      readonly port: number;
      readonly key: string;
      readonly connections: number;
      readonly batchEvents: number;
      readonly events: number;
    };

export type FromFeed =
  | {readonly kind: 'begun'}
  | {readonly kind: 'progress'; readonly events: number}
  | {readonly kind: 'fed'; readonly events: number; readonly jsonBytes: number}
  | {readonly kind: 'failed'; readonly message: string};

type Feeding = Extract<ToFeed, {kind: 'feed'}>;

const lineBytesMax = 4 * 2 ** 20;
const progressEvents = 500_000;
const attemptsMax = 30;
const retryAfterMs = 1_000;

const tell = (message: FromFeed): void => void process.send!(message);

/** Lines of one file, written in large pieces. */
class Lines {
  private readonly file: number;
  private waiting: string[] = [];
  private chars = 0;

  constructor(path: string) {
    this.file = openSync(path, 'w');
  }

  add(line: string): void {
    this.waiting.push(line);
    this.chars += line.length;
    if (this.chars > lineBytesMax) this.flush();
  }

  flush(): void {
    if (this.waiting.length === 0) return;
    writeSync(this.file, `${this.waiting.join('\n')}\n`, null, 'latin1'); // ASCII only.
    this.waiting = [];
    this.chars = 0;
  }

  close(): void {
    this.flush();
    closeSync(this.file);
  }
}

let source: Iterator<WorkloadEvent> = [].values();
let lines: Lines | null = null;
let jsonBytes = 0;

function begin({workload, linesPath}: Extract<ToFeed, {kind: 'begin'}>): void {
  lines?.close();
  source = workloadEvents(workload);
  lines = linesPath === null ? null : new Lines(linesPath);
  jsonBytes = 0;
  tell({kind: 'begun'});
}

async function feed({host, port, key, connections, batchEvents, events}: Feeding): Promise<void> {
  let [left, sent, told] = [events, 0, 0];
  const nextBatch = (): string[] => {
    const jsons: string[] = [];
    while (jsons.length < batchEvents && left > 0) {
      const next = source.next();
      if (next.done) left = 0;
      else {
        jsons.push(next.value.json);
        jsonBytes += next.value.json.length;
        lines?.add(next.value.json);
        left -= 1;
      }
    }
    return jsons;
  };
  const drive = async (connection: Connection): Promise<void> => {
    for (let batch = nextBatch(); batch.length > 0; batch = nextBatch()) {
      await store(connection, key, batch);
      sent += batch.length;
      if (sent - told >= progressEvents) tell({kind: 'progress', events: (told = sent)});
    }
  };
  const opened = await Promise.all(Array.from({length: connections}, () => Connection.open(host, port)));
  try {
    await Promise.all(opened.map(drive));
  } finally {
    for (const connection of opened) connection.close();
  }
  lines?.flush();
  tell({kind: 'fed', events: sent, jsonBytes});
}

/** Sends events again that the log did not take (other processes keep its disk busy), like a careful client. */
async function store(connection: Connection, key: string, events: readonly string[]): Promise<void> {
  let jsons = events;
  for (let attempt = 0; jsons.length > 0; attempt++) {
    const status = await exchange(connection, batchRequest(key, jsons));
    if (status === 200) return;
    if (status !== 503 || attempt === attemptsMax) throw new Error(`a batch was refused: ${connection.lastRefusal}`);
    jsons = notStored(jsons, connection.lastRefusal);
    await pause(retryAfterMs);
  }
}

/** Events that a 503 lists; all of them when it lists none (docs/api/events.md: then nothing was stored). */
function notStored(jsons: readonly string[], answer: string): readonly string[] {
  const {errors} = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as {errors?: {index: number}[]};
  return errors === undefined ? jsons : errors.map(({index}) => jsons[index]!);
}

/** Resolves with the status. */
function exchange(connection: Connection, request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    connection.listen({answered: ({status}) => resolve(status), failed: (_, error) => reject(error)});
    connection.send(request);
  });
}

process.on('message', (message: ToFeed) => {
  const done = Promise.resolve().then(() => (message.kind === 'begin' ? begin(message) : feed(message)));
  done.catch((error: Error) => tell({kind: 'failed', message: error.message}));
});
// Ends with the benchmark that forked it.
process.on('disconnect', () => process.exit(0));
