// Evaluates alerts: one pass over all that reports answer behind each publication, one over those of lag by the clock.
//   EA1. All answers of a pass are over one set of published snapshots. Where it is gone meanwhile, the pass ends: there is a newer
//        one.
//   EA2. A state is written by compare-and-set before its messages are queued (alert-record.ts, AR1). Where somebody else wrote it,
//        it is read again, and judged with the next pass.
//   EA3. A report that cannot be computed, and a bucket or a queue that does not answer, delay their alert and no other.
import {throwBroken} from '../../actors/invariant.js';
import type {ReportAnswer, ReportQuery} from '../asks.js';
import type {Endpoint} from '../effects/endpoint.js';
import type {Trigger} from '../effects/trigger.js';
import type {KeyBucket} from '../keys/store.js';
import type {Logger} from '../observe.js';
import {zoneOf} from '../zone.js';
import {type AlertRecord, advanced, differs, seenBy} from './alert-record.js';
import {type Alert, type LagKind, type LagRule, stateName, type WatchedFunnel} from './definition.js';
import {questionsOf, type Reading, type ReportRule} from './rule-questions.js';

type AnsweredReport = Extract<ReportAnswer, {kind: 'report'}>;

/** The world of an evaluation. */
export interface EvaluatorPorts {
  alerts(): readonly Alert[];
  endpoint(id: string): Pick<Endpoint, 'id' | 'kind'> | undefined;
  funnel(id: string): WatchedFunnel | undefined;
  /** Never rejects. */
  ask(query: ReportQuery, at?: string): Promise<ReportAnswer>;
  /** Seconds; undefined while nobody knows. */
  lag(of: LagKind): Promise<number | undefined>;
  readonly bucket: Pick<KeyBucket, 'read' | 'write'>;
  /** Resolves when it is queued. */
  publish(endpointId: string, trigger: Trigger): Promise<void>;
  readonly messageId: (...parts: readonly string[]) => string;
  readonly wallMs: () => number;
  readonly logger: Logger;
}

interface Held {
  readonly record: AlertRecord;
  /** Of the bucket: what differs in `held` alone is not written. */
  readonly revision: number;
}

/** The published set that a pass judges. */
export interface PublishedSet {
  readonly asOfMs: number;
  readonly positions: string;
}

/** The cheapest question, whose answer names the newest set. */
const nothing: ReportQuery = {report: 'events', event: '', fromMs: 0, toMs: 0, interval: 'hour'};

export class AlertEvaluator {
  private readonly ports: EvaluatorPorts;
  private readonly held = new Map<string, Held>();
  /** Of the last whole pass. */
  private judged: string | undefined;

  constructor(ports: EvaluatorPorts) {
    this.ports = ports;
  }

  /** Undefined while there is none. */
  async newestSet(): Promise<PublishedSet | undefined> {
    const answer = await this.ports.ask(nothing);
    if (answer.kind !== 'report') return undefined;
    const {headers} = answer;
    return {asOfMs: Date.parse(headers['Report-As-Of']), positions: headers['Report-Log-Position']};
  }

  /** What is judged over `set`; nothing that was judged over it before. */
  async judgeReports(set: PublishedSet): Promise<void> {
    if (set.positions === this.judged) return;
    for (const alert of this.active()) {
      const {rule} = alert;
      if (rule.kind === 'lag') continue;
      const isOver = await this.guarded(alert, async (known) => this.readingOf(rule, alert, known, set), set.positions);
      if (isOver) return; // EA1
    }
    this.judged = set.positions;
  }

  async judgeLags(): Promise<void> {
    for (const alert of this.active()) {
      const {rule} = alert;
      if (rule.kind === 'lag') await this.guarded(alert, () => this.readingOfLag(rule), '');
    }
  }

  /** Another process was the owner meanwhile: its states count. */
  forget(): void {
    this.held.clear();
    this.judged = undefined;
  }

  private active(): readonly Alert[] {
    return this.ports.alerts().filter(({isPaused}) => !isPaused);
  }

  /** Whether the set is gone. EA3 */
  private async guarded(
    alert: Alert,
    readingOf: (known: AlertRecord | undefined) => Promise<Reading | 'gone' | undefined>,
    positions: string,
  ): Promise<boolean> {
    try {
      let held = await this.load(alert.id);
      held = await this.queue(alert, held);
      const reading = await readingOf(held?.record);
      if (reading === 'gone') return true;
      if (reading === undefined) return false;
      const next = advanced(held?.record, alert, reading, positions, this.audienceOf(alert));
      const written = await this.store(alert.id, held, next);
      if (written !== undefined) await this.queue(alert, written);
    } catch (error) {
      throwBroken(error);
      this.ports.logger.warn({err: error, alert: alert.id}, 'an alert could not be evaluated, and is again later');
    }
    return false;
  }

  private async load(id: string): Promise<Held | undefined> {
    const known = this.held.get(id);
    if (known !== undefined) return known;
    const entry = await this.ports.bucket.read(stateName(id));
    if (entry === undefined) return undefined;
    const held = {record: JSON.parse(entry.text) as AlertRecord, revision: entry.revision};
    this.held.set(id, held);
    return held;
  }

  /** Undefined: somebody else wrote it. EA2 */
  private async store(id: string, held: Held | undefined, record: AlertRecord): Promise<Held | undefined> {
    let revision: number | undefined = held?.revision ?? 0;
    if (differs(held?.record, record))
      revision = await this.ports.bucket.write(stateName(id), JSON.stringify(record), revision);
    if (revision === undefined) {
      this.held.delete(id);
      return undefined;
    }
    const stored = {record, revision};
    this.held.set(id, stored);
    return stored;
  }

  /** Queues what waits, and takes it from the record. EA2 */
  private async queue({id}: Alert, held: Held | undefined): Promise<Held | undefined> {
    if (held === undefined || held.record.waiting.length === 0) return held;
    for (const {endpoints, data, ...message} of held.record.waiting) {
      for (const endpoint of endpoints) {
        if (this.ports.endpoint(endpoint) === undefined) continue; // Deleted meanwhile.
        await this.ports.publish(endpoint, {v: 1, type: 'report.threshold', ...message, data});
      }
    }
    const stored = await this.store(id, held, {...held.record, waiting: []});
    return stored ?? this.load(id);
  }

  private audienceOf({endpoints, quietHours, rule}: Alert) {
    return {
      endpoints: endpoints.flatMap((id) => this.ports.endpoint(id) ?? []),
      zone: quietHours && zoneOf(quietHours.timezone),
      funnelName: rule.kind === 'funnel_drop' ? this.ports.funnel(rule.funnel)?.name : undefined,
      messageId: this.ports.messageId,
    };
  }

  private async readingOf(
    rule: ReportRule,
    alert: Alert,
    known: AlertRecord | undefined,
    {asOfMs, positions}: PublishedSet,
  ): Promise<Reading | 'gone' | undefined> {
    const funnel = rule.kind === 'funnel_drop' ? this.ports.funnel(rule.funnel) : undefined;
    const {questions, readingsOf} = questionsOf(rule, [asOfMs], {wasSeen: seenBy(known, alert), funnel});
    const bodies: unknown[] = [];
    for (const question of questions) {
      const answer = await this.ports.ask(question, positions);
      if (answer.kind === 'snapshot_gone') return 'gone';
      if (answer.kind !== 'report') return undefined;
      bodies.push(JSON.parse((answer as AnsweredReport).body!));
    }
    return readingsOf(bodies)[0];
  }

  private async readingOfLag({of, seconds}: LagRule): Promise<Reading | undefined> {
    const value = await this.ports.lag(of);
    if (value === undefined) return undefined;
    const nowMs = this.ports.wallMs();
    return {fromMs: nowMs, toMs: nowMs, value, bound: seconds, holds: value > seconds};
  }
}
