// The sender makes the attempts of one process: it forms the message, signs and sends it, and notes the outcome in the endpoint's health.
//   CO1. The health is also in the bucket, written at most every two seconds: it outlives the process, and every edge shows it.
//        Processes that write it add up (endpoint-health.ts ST1).
//   CO2. Data is made at most a quarter of a second before it is sent: nothing is sent of a user who is erased while an attempt
//        waits.
//   CO3. An attempt may wait for the sockets of all endpoints. The definition counts that there is when it gets one: its URL and its
//        secrets, and whether anything is sent at all.
import {monotonicMs} from '../clock.js';
import type {KeptStore} from '../kept/kept-store.js';
import {BucketFault, type KeyBucket} from '../keys/key-bucket.js';
import {letterOf} from '../mail/letter.js';
import type {Mail, Mailer} from '../mail/mailer.js';
import type {Logger} from '../observe.js';
import {Semaphore} from '../pacing/semaphore.js';
import type {Endpoint, EndpointKind} from './endpoint.js';
import {
  attemptOf,
  type EndpointHealth,
  healthFrom,
  healthName,
  isHopeless,
  isProbeDue,
  isProbed,
  merged,
  newHealth,
  noted,
  resumed,
  type Waiting,
  withWaits,
} from './endpoint-health.js';
import {Gate} from './gate.js';
import {bodyOf} from './payload.js';
import {type Content, type Outcome, type Poster, socketsOfAllMax} from './post.js';
import {RowRules} from './row-rules.js';
import {disabledAfterMs} from './schedule.js';
import {signatures, validSecrets} from './signature.js';
import type {TriggerType} from './trigger.js';

/** Period of saving health. CO1 */
export const savedEveryMs = 2_000;
/** An erased user has no receipt so soon. CO2 */
const freshMs = 250;
const day = 86_400_000;

/** The sender's ports. */
export interface SenderWorld {
  readonly poster: Pick<Poster, 'post'>;
  /** Undefined: no SMTP server is set, and mails fail. */
  readonly mailer?: Pick<Mailer, 'send'> | undefined;
  readonly store: KeptStore;
  readonly bucket: Pick<KeyBucket, 'read' | 'write'>;
  readonly wallMs: () => number;
  readonly probeDelayMs: (failures: number) => number;
  readonly logger: Logger;
}

/** One message of a delivery. */
export interface Message {
  readonly id: string;
  readonly type: string;
  readonly timestampMs: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}

/** Makes the data of a message, JSON; undefined: its user or its events are erased. @throws OwnerAway */
export type Say = () => Promise<string | undefined>;

/** The endpoint was paused, disabled or deleted while its attempt waited: nothing was sent. */
export class NotServed extends Error {
  override name = 'NotServed';
}

/** Data of a message, and when it was made. */
interface Said {
  readonly dataJson: string | undefined;
  /** Monotonic ms. */
  readonly atMs: number;
}

const isFresh = ({atMs}: Said): boolean => monotonicMs() - atMs < freshMs;

async function made(say: Say): Promise<Said> {
  const atMs = monotonicMs();
  return {dataJson: await say(), atMs};
}

/** An endpoint that this process serves. */
export class Recipient {
  readonly id: string;
  readonly gate: Gate;
  private readonly world: SenderWorld;
  private readonly all: Semaphore;
  private healthNow: EndpointHealth = newHealth;
  /** The record when this process last read or wrote it. */
  private base: EndpointHealth = newHealth;
  private revision = 0;
  /** The text of the last write, until the bucket has answered it. */
  private unanswered: string | undefined;
  /** The newest statements of this process's tails. */
  private stated: Waiting = {};
  private isUnsaved = false;
  private newest: Endpoint;
  private rules: RowRules;
  /** JSON text of the definition that the rules are of; undefined: they are of the first one that this process heard of. */
  private definition: string | undefined;

  constructor(endpoint: Endpoint, world: SenderWorld, all: Semaphore) {
    this.id = endpoint.id;
    this.newest = endpoint;
    this.rules = new RowRules(endpoint);
    this.world = world;
    this.all = all;
    this.gate = new Gate(() => this.view(), world.wallMs);
  }

  private view() {
    const {healthNow, newest, world} = this;
    const dueMs = isProbeDue(healthNow, world.wallMs()) ? 0 : healthNow.nextProbeMs;
    return {state: newest.state, nextProbeMs: isProbed(healthNow) ? dueMs : undefined};
  }

  get endpoint(): Endpoint {
    return this.newest;
  }

  get health(): EndpointHealth {
    return this.healthNow;
  }

  get isProbed(): boolean {
    return isProbed(this.healthNow);
  }

  /** Takes a changed definition. */
  take(endpoint: Endpoint): void {
    const isResumed = this.newest.state === 'disabled' && endpoint.state === 'active';
    this.newest = endpoint;
    if (isResumed) this.note(resumed);
    this.gate.notify();
  }

  /** The rules of its rows by the definition as it is stored now, which the watch may bring later. Rejects with a `BucketFault`. */
  async readRules(): Promise<RowRules> {
    const entry = await this.world.bucket.read(this.id);
    // A deleted endpoint is soon no longer served.
    if (entry !== undefined && entry.text !== '' && entry.text !== this.definition) {
      this.definition = entry.text;
      this.rules = new RowRules(JSON.parse(entry.text) as Endpoint);
    }
    return this.rules;
  }

  /**
   * Makes one attempt. The caller has a place in the gate. `known`: what `say` would say. Rejects as `say` does.
   * @throws NotServed
   */
  async send(message: Message, say: Say, known?: Said): Promise<Outcome> {
    const {wallMs} = this.world;
    const {id, type, attempt} = message;
    let said = known !== undefined && isFresh(known) ? known : await made(say);
    if (said.dataJson === undefined) return this.noteErased(message);
    const dataJson = async (): Promise<string | undefined> => {
      if (!isFresh(said)) said = await made(say); // CO2
      return said.dataJson;
    };
    const atMs = wallMs();
    const outcome = await this.all.run(async () => {
      if (!this.gate.isServed) throw new NotServed(); // CO3
      return this.attempt(message, dataJson);
    });
    if (outcome.kind === 'erased') return this.noteErased(message);
    const seen = {id, type, atMs, ms: wallMs() - atMs, attempt, ...attemptOf(outcome)};
    const askedMs = 'waitMs' in outcome ? outcome.waitMs : undefined;
    this.note((health) => noted(health, seen, this.world.probeDelayMs, askedMs));
    if (outcome.kind === 'gone') await this.disable('the receiver answered 410');
    else if (await this.isHopeless()) await this.disable(`no attempt succeeded for ${disabledAfterMs / day} days`);
    return outcome;
  }

  /** Whether no process succeeded for too long. False while the bucket does not answer: the next failure asks again. */
  private async isHopeless(): Promise<boolean> {
    const {wallMs} = this.world;
    if (!isHopeless(this.healthNow, wallMs())) return false;
    this.isUnsaved = true;
    const isSaved = await this.save().then(
      () => true,
      (error: Error) => {
        if (!(error instanceof BucketFault)) throw error;
        return false;
      },
    );
    return isSaved && isHopeless(this.healthNow, wallMs());
  }

  private async attempt(message: Message, dataJson: Say): Promise<Outcome> {
    const {poster, mailer} = this.world;
    const {kind, url} = this.newest;
    if (kind !== 'mail')
      return poster.post(url, async () => {
        const data = await dataJson();
        return data === undefined ? undefined : this.contentOf(kind, message, data);
      });
    if (mailer === undefined) return {kind: 'failed', why: 'SMTP_URL is not set'};
    return mailer.send(url, async () => {
      const data = await dataJson();
      return data === undefined ? undefined : this.mailOf(message, data);
    });
  }

  private mailOf({id, type, timestampMs}: Message, dataJson: string): Mail {
    const letter = letterOf(type as TriggerType, JSON.parse(dataJson) as Record<string, unknown>);
    return {...letter, id: `${id}.${this.id}`, timestampMs};
  }

  private contentOf(kind: Exclude<EndpointKind, 'mail'>, {id, type, timestampMs}: Message, dataJson: string): Content {
    const endpoint = this.newest;
    const body = bodyOf(kind, type, timestampMs, dataJson);
    if (kind !== 'webhook') return {headers: {}, body};
    const nowMs = this.world.wallMs();
    const seconds = Math.floor(nowMs / 1_000);
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signatures(validSecrets(endpoint, nowMs), id, seconds, body),
    };
    return {headers, body};
  }

  /** Notes that the user of a message is erased, so that nothing is sent. */
  private noteErased({id, type, attempt}: Message): Outcome {
    const seen = {id, type, atMs: this.world.wallMs(), ms: 0, attempt, outcome: 'erased'} as const;
    this.note((health) => noted(health, seen, this.world.probeDelayMs));
    return {kind: 'erased'};
  }

  note(change: (health: EndpointHealth) => EndpointHealth): void {
    const wasProbed = this.isProbed;
    this.healthNow = change(this.healthNow);
    this.isUnsaved = true;
    if (this.isProbed && !wasProbed) this.world.logger.warn({endpoint: this.id}, 'a webhook fails: it is probed now');
    this.gate.notify();
  }

  private async disable(reason: string): Promise<void> {
    const {store, logger} = this.world;
    logger.warn({endpoint: this.id, reason}, 'a webhook is disabled');
    const changed = await store.endpoints
      .change(this.id, (endpoint) =>
        endpoint.state === 'active' ? {...endpoint, state: 'disabled', reason} : endpoint,
      )
      .catch((error: Error) => {
        if (!(error instanceof BucketFault)) throw error;
        return undefined; // The next failure tries again.
      });
    if (changed !== undefined) this.take(changed);
  }

  /** Notes what waits in the partitions whose cursors this process has. */
  noteWaits(waits: Waiting): void {
    const {stated} = this;
    const known = this.healthNow.waiting;
    this.stated = waits;
    // The first statement of a partition is always written: this process may not have read what another one said of it.
    const isNews = ([partition, {oldestMs}]: [string, Waiting[number]]): boolean =>
      stated[Number(partition)] === undefined || known[Number(partition)]?.oldestMs !== oldestMs;
    if (Object.entries(waits).some(isNews))
      this.note((health) => ({...health, waiting: withWaits(health.waiting, waits)}));
  }

  /** Reads the health that earlier processes wrote. Rejects with a `BucketFault`. */
  async load(): Promise<void> {
    const entry = await this.world.bucket.read(healthName(this.id));
    if (entry === undefined) return;
    this.revision = entry.revision;
    const known = healthFrom(entry.text);
    this.base = known;
    // The endpoint was resumed while no process delivered, or no process tried for days: its time to fail starts now.
    const isNew = this.newest.state === 'active' && isHopeless(known, this.world.wallMs());
    this.healthNow = isNew ? resumed(known) : known;
  }

  /** Writes the health if it has changed. Rejects with a `BucketFault`. CO1 */
  async save(): Promise<void> {
    if (!this.isUnsaved) return;
    this.isUnsaved = false;
    const {bucket} = this.world;
    const name = healthName(this.id);
    const {healthNow} = this;
    const [text, unanswered] = [JSON.stringify(healthNow), this.unanswered];
    this.unanswered = text;
    const written = await bucket.write(name, text, this.revision).catch((error: Error) => {
      this.isUnsaved = true;
      throw error;
    });
    this.unanswered = undefined;
    if (written !== undefined) {
      this.revision = written;
      this.base = healthNow;
      return;
    }
    this.isUnsaved = true; // The next call writes it.
    const entry = await bucket.read(name);
    this.revision = entry?.revision ?? 0;
    if (entry === undefined || entry.text === '') return;
    const stored = healthFrom(entry.text);
    // A write whose answer was lost is this process's own: it is not added once more.
    if (entry.text !== unanswered) this.healthNow = merged(stored, this.base, this.healthNow);
    this.base = stored;
  }
}

/** Sockets that all endpoints share. */
export const sharedSockets = (): Semaphore => new Semaphore(socketsOfAllMax);
