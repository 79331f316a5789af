// Evaluates alerts: those that reports answer in a pass after each publication, those of lag by the clock.
//   EA1. All answers of a pass are over one set of published snapshots. The pass ends when the set is no longer kept: a newer one
//        exists.
//   EA2. A report that cannot be computed, and a bucket or a queue that does not answer, delay their alert and no other.
import {throwBroken} from '../../actors/invariant.js';
import type {ReportAnswer, ReportQuery} from '../asks/report.js';
import type {Segment} from '../kept/segment.js';
import type {Logger} from '../observe.js';
import {zoneOf} from '../zone.js';
import {type AlertRecord, advanced, differs, quietEnded, seenBy} from './alert-record.js';
import {type StateAudiencePorts, stateAudience} from './audience.js';
import {
  type Alert,
  hasState,
  type LagKind,
  type LagRule,
  type StateRule,
  stateName,
  type WatchedFunnel,
} from './definition.js';
import {type KeptPorts, KeptRecords} from './kept-records.js';
import type {PublishedSet} from './published-set.js';
import {questionsOf, type Reading, type ReportRule} from './rule-questions.js';

type AnsweredReport = Extract<ReportAnswer, {kind: 'report'}>;

/** The evaluator's ports. */
export interface EvaluatorPorts extends StateAudiencePorts {
  alerts(): readonly Alert[];
  funnel(id: string): WatchedFunnel | undefined;
  segment(id: string): Pick<Segment, 'name' | 'users'> | undefined;
  /** Asks the report role. Never rejects. */
  ask(query: ReportQuery, at?: string): Promise<ReportAnswer>;
  /** A lag in seconds; undefined while it is unknown. */
  lag(of: LagKind): Promise<number | undefined>;
  readonly bucket: KeptPorts['bucket'];
  readonly publish: KeptPorts['publish'];
  readonly messageId: (...parts: readonly string[]) => string;
  readonly wallMs: () => number;
  readonly logger: Logger;
}

/** The cheapest question, whose answer names the newest set. */
const nothing: ReportQuery = {report: 'counts', events: [''], fromMs: 0, toMs: 0, interval: 'hour'};

export class AlertEvaluator {
  private readonly ports: EvaluatorPorts;
  private readonly records: KeptRecords<AlertRecord>;
  /** Positions of the snapshots that the last complete pass judged. */
  private judged: string | undefined;

  constructor(ports: EvaluatorPorts) {
    this.ports = ports;
    const {bucket, publish} = ports;
    const hasEndpoint = (id: string): boolean => ports.endpoint(id) !== undefined;
    this.records = new KeptRecords({bucket, publish, hasEndpoint}, 'report.threshold', differs);
  }

  /** The newest published set; undefined before the first one. */
  async newestSet(): Promise<PublishedSet | undefined> {
    const answer = await this.ports.ask(nothing);
    if (answer.kind !== 'report') return undefined;
    const {headers} = answer;
    const asOfMs = Date.parse(headers['Report-As-Of']);
    const refreshMs = Date.parse(headers['Report-Next-By']) - asOfMs;
    return {asOfMs, refreshMs, positions: headers['Report-Log-Position']};
  }

  /** Judges all alerts over `set`, unless a complete pass has done so. False: the set is no longer kept. EA1 */
  async judgeReports(set: PublishedSet): Promise<boolean> {
    if (set.positions === this.judged) return true;
    for (const alert of this.withState()) {
      const {rule} = alert;
      if (rule.kind === 'lag') continue;
      const readingOf = (known: AlertRecord | undefined) => this.readingOf(rule, alert, known, set);
      if (await this.guarded(alert, readingOf, set)) return false;
    }
    const names = new Set(this.ports.alerts().map(({id}) => stateName(id)));
    for (const name of this.records.names()) if (!names.has(name)) await this.records.remove(name);
    this.judged = set.positions;
    return true;
  }

  async judgeLags(): Promise<void> {
    for (const alert of this.withState()) {
      const {rule} = alert;
      const now: PublishedSet = {asOfMs: this.ports.wallMs(), positions: '', refreshMs: 0};
      if (rule.kind === 'lag') await this.guarded(alert, () => this.readingOfLag(rule), now);
    }
  }

  /** Forgets the states: another process was the owner meanwhile, and its states count. */
  forget(): void {
    this.records.forget();
    this.judged = undefined;
  }

  /** Whether there are records, those of alerts that were deleted, too. */
  get hasRecords(): boolean {
    return this.records.names().length > 0;
  }

  private withState(): readonly Alert<StateRule>[] {
    return this.ports.alerts().filter(hasState);
  }

  /**
   * Evaluates one alert; of one that is paused, or has no reading, it only sends what waits. Resolves to whether the set is no longer
   * kept. EA1, EA2
   */
  private async guarded(
    alert: Alert<StateRule>,
    readingOf: (known: AlertRecord | undefined) => Promise<Reading | 'gone' | undefined>,
    set: PublishedSet,
  ): Promise<boolean> {
    const {asOfMs, positions} = set;
    try {
      const name = stateName(alert.id);
      const kept = await this.records.queue(name, await this.records.load(name));
      const audience = this.audienceOf(alert);
      const reading = alert.isPaused ? undefined : await readingOf(kept?.record);
      if (reading === 'gone') return true;
      const next =
        reading === undefined
          ? kept && quietEnded(kept.record, alert, asOfMs, positions, audience)
          : advanced(kept?.record, alert, reading, set, audience);
      if (next !== undefined) await this.records.queue(name, await this.records.store(name, kept, next));
    } catch (error) {
      throwBroken(error);
      this.ports.logger.warn({err: error, alert: alert.id}, 'an alert could not be evaluated, and is again later');
    }
    return false;
  }

  private audienceOf(alert: Alert<StateRule>) {
    const {quietHours} = alert;
    return {
      endpoints: stateAudience(alert, this.ports),
      zone: quietHours && zoneOf(quietHours.timezone),
      nameOf: (id: string) => this.ports.funnel(id)?.name ?? this.ports.segment(id)?.name,
      messageId: this.ports.messageId,
    };
  }

  private async readingOf(
    rule: ReportRule,
    alert: Alert<StateRule>,
    known: AlertRecord | undefined,
    {asOfMs, positions}: PublishedSet,
  ): Promise<Reading | 'gone' | undefined> {
    const funnel = rule.kind === 'funnel_drop' ? this.ports.funnel(rule.funnel) : undefined;
    const segmentOf = (id: string) => this.ports.segment(id);
    const {questions, readingsOf} = questionsOf(rule, [asOfMs], {...seenBy(known, alert), funnel, segmentOf});
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
