// `report.revised`: days of named events that were published complete, and changed afterwards: late events, deletions.
//   RV1. The counts of all complete days are stored. The newest set's counts of those days are compared with them.
//   RV2. One message per event and publication, or several if more days changed than one carries.
//   RV3. The counts of an event that no subscription names any more are deleted: if it is named again, they begin anew.
import {createHash} from 'node:crypto';
import {throwBroken} from '../../actors/invariant.js';
import {dayMs} from '../../actors/limits.js';
import type {ReportQuery} from '../asks/report.js';
import type {RecordBucket} from '../keys/key-bucket.js';
import type {Logger} from '../observe.js';
import {type ChangedDay, changedDays, dayCountsOf} from './day-counts.js';
import {type KeptPorts, KeptRecords, type WaitingMessage} from './kept-records.js';
import type {PublishedSet} from './published-set.js';
import {revisedText} from './texts.js';

const prefix = 'rv.';
/** Days of one message: some 60 bytes each. */
const daysMax = 500;

interface RevisionRecord {
  readonly event: string;
  /** First day that was not complete. */
  readonly endDay: number;
  /** Days before `endDay`, each as its number and its count. */
  readonly days: readonly (readonly [number, number])[];
  readonly waiting: readonly WaitingMessage[];
}

interface RevisionPorts extends KeptPorts {
  readonly bucket: KeptPorts['bucket'] & Pick<RecordBucket, 'names'>;
  /** Ids of the endpoints that subscribe, by name of the event. */
  subscribed(): ReadonlyMap<string, readonly string[]>;
  /** The parsed answer over the set at these positions; undefined: there is none. */
  bodyOf(query: ReportQuery, at: string): Promise<unknown>;
  readonly messageId: (...parts: readonly string[]) => string;
  readonly logger: Logger;
}

export class Revisions {
  private readonly ports: RevisionPorts;
  private readonly records: KeptRecords<RevisionRecord>;
  private judged: string | undefined;

  constructor(ports: RevisionPorts) {
    this.ports = ports;
    this.records = new KeptRecords(
      ports,
      'report.revised',
      (known, next) => JSON.stringify(known) !== JSON.stringify(next),
    );
  }

  /** RV3 */
  get isNeeded(): boolean {
    return this.ports.subscribed().size > 0 || this.records.names().length > 0;
  }

  /** Forgets what earlier processes kept of events that no subscription names. Rejects with a `BucketFault`. RV3 */
  async sweep(): Promise<void> {
    await this.forgetAllBut(this.ports.subscribed(), await this.ports.bucket.names(`${prefix}*`));
  }

  private async forgetAllBut(subscribed: ReadonlyMap<string, unknown>, names: readonly string[]): Promise<void> {
    const kept = new Set([...subscribed.keys()].map(nameOf));
    for (const name of names) if (!kept.has(name)) await this.records.remove(name);
  }

  /** Compares the stored counts with those of `set`. */
  async judge(set: PublishedSet): Promise<void> {
    if (set.positions === this.judged) return;
    const subscribed = this.ports.subscribed();
    for (const [event, endpoints] of subscribed) {
      try {
        await this.compare(event, endpoints, set);
      } catch (error) {
        throwBroken(error);
        this.ports.logger.warn({err: error}, 'days of an event could not be compared, and are again later');
      }
    }
    await this.forgetAllBut(subscribed, this.records.names()); // RV3
    this.judged = set.positions;
  }

  forget(): void {
    this.records.forget();
    this.judged = undefined;
  }

  private async compare(event: string, endpoints: readonly string[], set: PublishedSet): Promise<void> {
    const {asOfMs, positions} = set;
    const name = nameOf(event);
    const known = await this.records.queue(name, await this.records.load(name));
    const endDay = Math.floor(asOfMs / dayMs);
    const counts = await dayCountsOf(event, endDay, (query) => this.ports.bodyOf(query, positions));
    if (counts === undefined) return;
    const {record} = known ?? {};
    const changed =
      record === undefined ? [] : changedDays(new Map(record.days), counts, Math.min(record.endDay, endDay));
    const days = [...counts].sort(([a], [b]) => a - b);
    const waiting = this.messagesOf(event, changed, endpoints, set);
    const stored = await this.records.store(name, known, {event, endDay, days, waiting});
    if (stored !== undefined) await this.records.queue(name, stored);
  }

  /** RV2 */
  private messagesOf(
    event: string,
    changed: readonly ChangedDay[],
    endpoints: readonly string[],
    {asOfMs, positions}: PublishedSet,
  ): readonly WaitingMessage[] {
    const messages: WaitingMessage[] = [];
    for (let at = 0; at < changed.length; at += daysMax) {
      const days = changed.slice(at, at + daysMax);
      messages.push({
        id: this.ports.messageId('revised', event, positions, String(at)),
        timestampMs: asOfMs,
        data: {event, interval: 'day', days, report_log_position: positions, text: revisedText(event, days)},
        endpoints,
      });
    }
    return messages;
  }
}

/** Name of an event's record: a hash, because names of events have characters that keys of the bucket may not have. */
const nameOf = (event: string): string => `${prefix}${createHash('sha256').update(event).digest('hex').slice(0, 32)}`;
