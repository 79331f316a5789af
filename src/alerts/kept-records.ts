// Records of the evaluation in the bucket of definitions, with the messages that are not queued yet.
//   KR1. A record is written by compare-and-set before its messages are queued. If another process wrote it, it is read again.
//   KR2. Messages leave the record when all of them are queued: after a crash they are queued again, with the same ids.

import type {RecordBucket} from '../keys/key-bucket.js';
import type {Trigger, TriggerType} from '../webhooks/trigger.js';

export interface WaitingMessage {
  readonly id: string;
  readonly timestampMs: number;
  readonly data: Readonly<Record<string, unknown>> & {readonly text: string};
  readonly endpoints: readonly string[];
}

interface Waiting {
  readonly waiting: readonly WaitingMessage[];
}

export interface Kept<Record> {
  readonly record: Record;
  readonly revision: number;
}

export interface KeptPorts {
  readonly bucket: Pick<RecordBucket, 'read' | 'write' | 'purge'>;
  /** Whether the endpoint (still) exists. */
  hasEndpoint(id: string): boolean;
  /** Queues a trigger. Resolves when the queue has it. */
  publish(endpointId: string, trigger: Trigger): Promise<void>;
}

export class KeptRecords<Record extends Waiting> {
  private readonly ports: KeptPorts;
  private readonly type: TriggerType;
  /** Whether a change must be stored. */
  private readonly differs: (known: Record | undefined, next: Record) => boolean;
  private readonly held = new Map<string, Kept<Record>>();

  constructor(
    ports: KeptPorts,
    type: TriggerType,
    differs: (known: Record | undefined, next: Record) => boolean = () => true,
  ) {
    this.ports = ports;
    this.type = type;
    this.differs = differs;
  }

  /** Names of the records that were read or written. */
  names(): readonly string[] {
    return [...this.held.keys()];
  }

  async load(name: string): Promise<Kept<Record> | undefined> {
    const known = this.held.get(name);
    if (known !== undefined) return known;
    const entry = await this.ports.bucket.read(name);
    if (entry === undefined || entry.text === '') return undefined;
    const kept = {record: JSON.parse(entry.text) as Record, revision: entry.revision};
    this.held.set(name, kept);
    return kept;
  }

  /** Writes a record; undefined: another process wrote it meanwhile. KR1 */
  async store(name: string, kept: Kept<Record> | undefined, record: Record): Promise<Kept<Record> | undefined> {
    if (kept !== undefined && !this.differs(kept.record, record)) return this.hold(name, record, kept.revision);
    const expected = kept?.revision ?? (await this.revisionOfNone(name));
    const revision = await this.ports.bucket.write(name, JSON.stringify(record), expected);
    if (revision !== undefined) return this.hold(name, record, revision);
    this.held.delete(name);
    return undefined;
  }

  /** Revision that a first write expects: a record that an older version removed is an empty text, with a revision. */
  private async revisionOfNone(name: string): Promise<number> {
    const entry = await this.ports.bucket.read(name);
    return entry?.text === '' ? entry.revision : 0;
  }

  private hold(name: string, record: Record, revision: number): Kept<Record> {
    const kept = {record, revision};
    this.held.set(name, kept);
    return kept;
  }

  /** Queues the messages of a record. Rejects when the queue does not answer. @returns the record without messages. KR2 */
  async queue(name: string, kept: Kept<Record> | undefined): Promise<Kept<Record> | undefined> {
    if (kept === undefined || kept.record.waiting.length === 0) return kept;
    for (const {endpoints, ...message} of kept.record.waiting) {
      const trigger: Trigger = {v: 1, type: this.type, ...message};
      for (const endpoint of endpoints)
        if (this.ports.hasEndpoint(endpoint)) await this.ports.publish(endpoint, trigger);
    }
    return (await this.store(name, kept, {...kept.record, waiting: []})) ?? (await this.load(name));
  }

  async remove(name: string): Promise<void> {
    const kept = await this.load(name);
    if (kept !== undefined) await this.ports.bucket.purge(name, kept.revision);
    this.held.delete(name);
  }

  /** Drops the copies: another process wrote the records meanwhile. */
  forget(): void {
    this.held.clear();
  }
}
