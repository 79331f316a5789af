// The definitions of a deployment: endpoints, saved funnels, alerts, saved reports, links that share one, boards, annotations, digests. One
// bucket stores them; each process that needs them has a copy.
//   The rules of src/keys/store.ts hold (S1, S2, S3).
//   The bucket also has cursors (`c.<endpoint>.<partition>`), states of alerts and digests (`st.<alert>`), and what named a deleted user
//   (`n.<deletion>`): the watch ignores them, by the dot in their names.
import {type BucketEntry, BucketFault, type RecordBucket} from '../keys/key-bucket.js';
import {StoredRecords} from '../keys/stored-records.js';
import {type Endpoint, type SubscribedType, subscribes} from '../webhooks/endpoint.js';
import {type Definition, type DefinitionPrefix, newDefinitionId} from './definition.js';

/** Definitions of one kind. */
export class Definitions<Held extends Definition> {
  private readonly prefix: DefinitionPrefix;
  private readonly records: StoredRecords<Definition>;
  private readonly held: ReadonlyMap<string, Definition>;
  private readonly wallMs: () => number;

  /** `held`: definitions of all kinds. */
  constructor(
    prefix: DefinitionPrefix,
    records: StoredRecords<Definition>,
    held: ReadonlyMap<string, Definition>,
    wallMs: () => number,
  ) {
    this.prefix = prefix;
    this.records = records;
    this.held = held;
    this.wallMs = wallMs;
  }

  private isOurs(record: Definition): record is Held {
    return record.id.startsWith(`${this.prefix}_`);
  }

  /** All definitions of the kind, the oldest first. */
  list(): Held[] {
    return [...this.held.values()]
      .filter((record): record is Held => this.isOurs(record))
      .sort((a, b) => a.createdMs - b.createdMs || (a.id < b.id ? -1 : 1));
  }

  get(id: string): Held | undefined {
    const record = this.held.get(id);
    return record !== undefined && this.isOurs(record) ? record : undefined;
  }

  /** Reads a known definition, which another process may have changed a moment ago. Rejects with a `BucketFault`. */
  async readAnew(id: string): Promise<void> {
    if (this.get(id) !== undefined) await this.records.readAnew(id);
  }

  /** Epoch ms. Rejects with a `BucketFault`: it is unknown then whether the definition was made. */
  async create(content: Omit<Held, keyof Definition>, createdMs = this.wallMs()): Promise<Held> {
    const record = {v: 1, id: newDefinitionId(this.prefix), createdMs, ...content} as unknown as Held;
    if (!(await this.records.add(record))) throw new BucketFault('a random id was used before');
    return record;
  }

  /**
   * Writes the record that `edit` returns, unless it is the same object. `edit` may run more than once. Rejects with a `BucketFault`.
   * @returns undefined when there is no such definition.
   */
  async change(id: string, edit: (record: Held) => Held): Promise<Held | undefined> {
    if (this.get(id) === undefined) return undefined;
    return (await this.records.change(id, (record) => edit(record as Held))) as Held | undefined;
  }

  /**
   * Removes the definition if it is the one that is meant. Rejects with a `BucketFault`.
   * @returns the definition, removed or another one than was meant; undefined when there is no such definition.
   */
  async remove(id: string, isMeant: (record: Held) => boolean = () => true): Promise<Held | undefined> {
    if (this.get(id) === undefined) return undefined;
    return (await this.records.remove(id, (record) => isMeant(record as Held))) as Held | undefined;
  }
}

export class KeptStore {
  readonly endpoints: Definitions<Endpoint>;
  /** The bucket that stores the definitions. */
  readonly bucket: RecordBucket;
  private readonly records: StoredRecords<Definition>;
  private readonly held = new Map<string, Definition>();
  private unreadableIds = new Set<string>();
  private readonly wallMs: () => number;
  private readonly listeners: (() => void)[] = [];

  private constructor(bucket: RecordBucket, wallMs: () => number) {
    const {held} = this;
    this.bucket = bucket;
    this.wallMs = wallMs;
    const holder = {
      get: (id: string) => held.get(id),
      put: (record: Definition) => void held.set(record.id, record),
      forget: (id: string) => void held.delete(id),
      replaceAll: (records: readonly Definition[]) => {
        held.clear();
        for (const record of records) held.set(record.id, record);
      },
    };
    this.records = new StoredRecords(bucket, holder, 'definition');
    this.endpoints = this.definitions<Endpoint>('wh');
  }

  static async open(bucket: RecordBucket, wallMs: () => number): Promise<KeptStore> {
    const store = new KeptStore(bucket, wallMs);
    await bucket.watch({
      returned: () => store.records.returned(),
      all: (entries, unreadable = []) => {
        store.unreadableIds = new Set(unreadable);
        store.told(() => store.records.takeAll(entries.filter(isDefinition)));
      },
      changed: (entry) => {
        store.unreadableIds.delete(entry.name);
        if (isDefinition(entry)) store.told(() => store.records.take(entry));
      },
    });
    return store;
  }

  private told(take: () => void): void {
    take();
    for (const listener of this.listeners) listener();
  }

  /** Ids of definitions that are stored and cannot be read: the service runs without them. */
  get unreadable(): readonly string[] {
    return [...this.unreadableIds];
  }

  /** Adds a listener, which is called after each change that the watch brought, including those of this process. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** A definition of any kind. */
  get(id: string): Definition | undefined {
    return this.held.get(id);
  }

  /** All definitions. */
  all(): readonly Definition[] {
    return [...this.held.values()];
  }

  definitions<Held extends Definition>(prefix: DefinitionPrefix): Definitions<Held> {
    return new Definitions(prefix, this.records, this.held, this.wallMs);
  }

  /**
   * The endpoints that subscribe to this type, including paused and disabled ones. `name`: name of the event, saved funnel or alert.
   * An endpoint does not get what happened before its `createdMs` (log time).
   */
  wants(type: SubscribedType, name?: string): Endpoint[] {
    return this.endpoints.list().filter((endpoint) => subscribes(endpoint, type, name));
  }

  stop(): void {
    this.bucket.stop();
  }
}

const isDefinition = ({name}: BucketEntry): boolean => !name.includes('.');
