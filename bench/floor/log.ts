// F3, the floor under the way to the log: the same packed bytes, published to the same streams of the same nats-server,
// fsynced before each ack. No HTTP, no parsing, no grouping, no fold: what is above it is what the edge and its queues add.
//   Runs in a process of its own, with its nats-server as a child, so that its CPU can be told from everybody else's.

import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {NatsConnection} from 'nats';
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {beginMessage, partitionOfEntry, sealMessage, writeEvent} from '../../actors/log/entries.js';
import {monotonicMs, wallMs} from '../../src/clock.js';
import {lockDataDir} from '../../src/data-lock.js';
import type {LogAnswer, LogListener} from '../../src/ingest/publisher.js';
import {EventDraft, readEvent} from '../../src/ingest/validate.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {NatsLogLink} from '../../src/nats/log-link.js';
import {type EmbeddedNats, startEmbeddedNats} from '../../src/nats/server/embedded.js';
import {ensureTopology} from '../../src/nats/topology.js';
import {createLogger} from '../../src/observe.js';
import {Latencies, type LatencyMs} from '../load/latency.js';
import {canonical, workloadEvents} from '../workload/events.js';

export interface LogPlan {
  readonly seconds: number;
  /** Entries of a message: as many as the service put into one. */
  readonly eventsPerMessage: number;
  /** Messages that leave at once, to different partitions; the next ones leave when all of them are acked. */
  readonly together: number;
  /** How many do so side by side, each with partitions of its own. 1: serial. */
  readonly lanes: number;
}

export interface LogResult {
  readonly publishes: number;
  readonly events: number;
  readonly elapsedMs: number;
  readonly bytesPerMessage: number;
  /** From the send of the first to the ack of the last of those that left together. */
  readonly latencyMs: LatencyMs;
}

export type ToLogFloor = {readonly kind: 'run'; readonly plan: LogPlan};
export type FromLogFloor =
  | {readonly kind: 'ready'}
  | {readonly kind: 'done'; readonly result: LogResult}
  | {readonly kind: 'failed'; readonly message: string};

const partitionCount = Number(process.argv[2]);
const packedEvents = 20_000;
const ackMsMax = 10_000;
const producer = Buffer.from('floor-f3');

/** Entries of the workload by partition, as the edge packs them. */
function packEntries(): Uint8Array[][] {
  const byPartition: Uint8Array[][] = Array.from({length: partitionCount}, () => []);
  const [draft, writer] = [new EventDraft(), new ByteWriter(64 * 1024)];
  for (const {json} of workloadEvents({...canonical, eventCount: packedEvents})) {
    if (readEvent(JSON.parse(json), {receivedMs: wallMs()}, draft) !== undefined)
      throw new Error(`the workload has ${json}`);
    writer.position = 0;
    writeEvent(writer, draft);
    const entry = writer.bytes.slice(0, writer.position);
    byPartition[partitionOfEntry(entry, 0, partitionCount)]!.push(entry);
  }
  return byPartition;
}

/** Messages of one partition, made before the clock runs. */
function messagesOf(entries: readonly Uint8Array[], eventsPerMessage: number): Uint8Array[] {
  const messages: Uint8Array[] = [];
  for (let first = 0; first === 0 || first + eventsPerMessage <= entries.length; first += eventsPerMessage) {
    const writer = new ByteWriter(64 * 1024);
    beginMessage(writer);
    for (let i = 0; i < eventsPerMessage; i++) {
      const entry = entries[(first + i) % entries.length]!;
      writer.raw(entry, 0, entry.length);
    }
    messages.push(sealMessage(writer, producer, messages.length + 1, wallMs(), eventsPerMessage).slice());
  }
  return messages;
}

class LogFloor implements LogListener {
  readonly #entries = packEntries();
  #tickets = 0;
  readonly #waiting = new Map<number, () => void>();
  #fault: Error | null = null;
  readonly #link: NatsLogLink;

  constructor(nc: NatsConnection) {
    this.#link = new NatsLogLink(nc);
    this.#link.listen(this);
  }

  async run({seconds, eventsPerMessage, together, lanes}: LogPlan): Promise<LogResult> {
    if (!(Number.isInteger(eventsPerMessage) && eventsPerMessage > 0)) {
      throw new Error(`a message carries ${eventsPerMessage} events`);
    }
    const messages = this.#entries.map((entries) => messagesOf(entries, eventsPerMessage));
    const latencies = new Latencies();
    const startMs = monotonicMs();
    const endMs = startMs + seconds * 1_000;
    let publishes = 0;
    const drive = async (lane: number): Promise<void> => {
      for (let turn = 0; monotonicMs() < endMs; turn++) {
        const sentMs = monotonicMs();
        const acks = Array.from({length: together}, (_, i) => {
          // Serial publishes go round the partitions; lanes keep to their own.
          const partition = (lanes === 1 ? turn * together + i : lane + i * lanes) % partitionCount;
          return this.#publish(partition, messages[partition]![turn % messages[partition]!.length]!);
        });
        await Promise.all(acks);
        latencies.record(monotonicMs() - sentMs);
        publishes += together;
      }
    };
    await this.#unlessSilent(Promise.all(Array.from({length: lanes}, (_, lane) => drive(lane))), seconds);
    const sizes = messages.flat().map(({length}) => length);
    return {
      publishes,
      events: publishes * eventsPerMessage,
      elapsedMs: monotonicMs() - startMs,
      bytesPerMessage: sizes.reduce((sum, size) => sum + size, 0) / sizes.length,
      latencyMs: latencies.summary(),
    };
  }

  #publish(partition: number, bytes: Uint8Array): Promise<void> {
    if (this.#fault !== null) return Promise.reject(this.#fault);
    const ticket = ++this.#tickets;
    this.#link.send(partition, `floor.${partition}.${ticket}`, ticket, bytes);
    return new Promise((resolve) => this.#waiting.set(ticket, resolve));
  }

  answered(_partition: number, ticket: number, answer: LogAnswer): void {
    if (answer.kind !== 'stored') this.#fault = new Error(`the log answered "${answer.kind}"`);
    this.#waiting.get(ticket)?.();
    this.#waiting.delete(ticket);
  }

  reconnected(): void {
    this.#fault = new Error('the connection to the log was lost');
  }

  #unlessSilent(driven: Promise<unknown>, seconds: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no ack')), seconds * 1_000 + ackMsMax);
      driven.then(() => resolve(), reject).finally(() => clearTimeout(timer));
    });
  }
}

async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-bench-log-'));
  try {
    await serve(dataDir);
  } catch (error) {
    rmSync(dataDir, {recursive: true, force: true});
    throw error;
  }
}

async function serve(dataDir: string): Promise<void> {
  const logger = createLogger('warn', 'floor');
  const lock = await lockDataDir(dataDir, () => process.exit(1));
  const {NATS_SERVER_BIN} = process.env;
  const nats = await startEmbeddedNats({dataDir, serverBin: NATS_SERVER_BIN ?? '', lock, logger});
  const nc = await connectNats(nats.address, 'floor');
  await ensureTopology(nc, {partitions: partitionCount, replicas: 1});
  const floor = new LogFloor(nc);
  process.on('message', ({plan}: ToLogFloor) => {
    floor.run(plan).then(
      (result) => tell({kind: 'done', result}),
      (error: Error) => tell({kind: 'failed', message: error.message}),
    );
  });
  process.once('disconnect', () => void end(nc, nats, dataDir));
  tell({kind: 'ready'});
}

/** The benchmark that forked us wants no more, or is gone. */
async function end(nc: NatsConnection, nats: EmbeddedNats, dataDir: string): Promise<void> {
  await nc.close();
  await nats.stop();
  rmSync(dataDir, {recursive: true, force: true});
  process.exit(0);
}

function tell(message: FromLogFloor): void {
  process.send!(message);
}

await main();
