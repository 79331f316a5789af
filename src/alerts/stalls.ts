// Alerts of users who stall in a saved funnel: they reached a step, and not the next one in time. Webhooks get a message for each.
//   SL1. A pass judges the deadlines after those that were judged before, up to the `Report-As-Of` of its set. An alert begins with
//        the first publication after it was made. Deadlines that pass while it is paused send no message.
//   SL2. Messages are queued in the order of deadlines, a page at a time, and the record has the place. The pass after the next
//        publication goes on where a full pass or a crash stopped.
//   SL3. A page is queued before its place is stored. The id of a message follows from the alert, the user's number, the entry, and the
//        funnel and step of the rule: a second copy has the same id, and a stall that the edited alert finds at another step has not.
//   SL4. Queued messages name no user: the owner of the partition makes the payload (src/partition/reads/effect-data.ts).

import {throwBroken} from '../../actors/invariant.js';
import {funnelPathOf} from '../asks/question/funnel-path.js';
import type {ReportQuery} from '../asks/report.js';
import type {Stall, StallPage, StallPlace} from '../asks/stalled.js';
import type {Logger} from '../observe.js';
import type {Trigger} from '../webhooks/trigger.js';
import type {AlertState} from './alert-state.js';
import {funnelNames, type StallAudiencePorts, stallAudience} from './audience.js';
import {type Alert, isStalled, type StalledRule, stateName, type WatchedFunnel} from './definition.js';
import {type Kept, type KeptPorts, KeptRecords} from './kept-records.js';
import type {PublishedSet} from './published-set.js';

const minuteMs = 60_000;
/** Users per question, and questions per alert and pass. SL2 */
export const usersOfPage = 1_000;
export const pagesMax = 10;

/** The record of such an alert. `value`: number of messages since it began. Its state is always `ok`. */
interface StallRecord extends AlertState {
  /** JSON text of the rule: after a change of the rule judging starts again. */
  readonly rule: string;
  /** Deadlines before this place are judged. */
  readonly from: StallPlace;
  readonly waiting: readonly [];
}

interface StallPorts extends Omit<KeptPorts, 'hasEndpoint'>, StallAudiencePorts {
  alerts(): readonly Alert[];
  funnel(id: string): WatchedFunnel | undefined;
  /** The parsed answer over the set at these positions; undefined: there is none. */
  bodyOf(query: ReportQuery, at: string): Promise<unknown>;
  readonly messageId: (...parts: readonly string[]) => string;
  readonly logger: Logger;
}

export class Stalls {
  private readonly ports: StallPorts;
  private readonly records: KeptRecords<StallRecord>;
  private judged: string | undefined;

  constructor(ports: StallPorts) {
    this.ports = ports;
    const hasEndpoint = (id: string): boolean => ports.endpoint(id) !== undefined;
    this.records = new KeptRecords({...ports, hasEndpoint}, 'funnel.stalled');
  }

  /** Queues messages for the users who stalled up to the end of `set`. SL1 */
  async judge(set: PublishedSet): Promise<void> {
    if (set.positions === this.judged) return;
    const alerts = this.ports.alerts().filter(isStalled);
    for (const alert of alerts) {
      try {
        await this.judgeOne(alert, set);
      } catch (error) {
        throwBroken(error);
        this.ports.logger.warn({err: error, alert: alert.id}, 'an alert could not be evaluated, and is again later');
      }
    }
    const names = new Set(alerts.map(({id}) => stateName(id)));
    for (const name of this.records.names()) if (!names.has(name)) await this.records.remove(name);
    this.judged = set.positions;
  }

  /** Whether there are records, those of alerts that were deleted, too. */
  get hasRecords(): boolean {
    return this.records.names().length > 0;
  }

  /** Forgets the records: another process was the owner meanwhile, and its records count. */
  forget(): void {
    this.records.forget();
    this.judged = undefined;
  }

  private async judgeOne(alert: Alert<StalledRule>, set: PublishedSet): Promise<void> {
    const {asOfMs, positions} = set;
    const name = stateName(alert.id);
    const rule = JSON.stringify(alert.rule);
    const end: StallPlace = {deadlineMs: asOfMs + 1, partition: 0, user: 0};
    let kept = await this.records.load(name);
    const funnel = alert.isPaused ? undefined : this.ports.funnel(alert.rule.funnel);
    if (kept?.record.rule !== rule) {
      const began = {state: 'ok', sinceMs: asOfMs, toldMs: asOfMs, value: 0, held: 0, waiting: []} as const;
      await this.records.store(name, kept, {...began, rule, positions, from: end});
      return;
    }
    for (let page = 0; page < pagesMax && kept !== undefined; page++) {
      const {record}: Kept<StallRecord> = kept;
      if (record.from.deadlineMs > asOfMs) return;
      const body = funnel && (await this.pageOf(alert.rule, funnel, record.from, set));
      if (funnel !== undefined && body === undefined) return;
      const {data, has_more: hasMore} = body ?? {data: [], has_more: false};
      await this.tell(alert, data);
      const last = data.at(-1);
      const from = hasMore && last !== undefined ? {...placeOf(last), user: last.user + 1} : end;
      kept = await this.records.store(name, kept, {
        ...record,
        positions,
        from,
        value: (record.value ?? 0) + data.length,
        toldMs: last === undefined ? record.toldMs : asOfMs,
      });
    }
  }

  private async pageOf(
    {step, minutes}: StalledRule,
    {question}: WatchedFunnel,
    from: StallPlace,
    {asOfMs, positions}: PublishedSet,
  ): Promise<StallPage | undefined> {
    const {steps, windowMs, where = []} = funnelPathOf(question);
    const query: ReportQuery = {
      report: 'stalled',
      steps: steps.slice(0, step + 1).map(({event, where: own = []}) => ({event, where: [...where, ...own]})),
      ...(windowMs === undefined ? {} : {windowMs}),
      withinMs: minutes * minuteMs,
      from,
      untilMs: asOfMs,
      limit: usersOfPage,
    };
    return (await this.ports.bodyOf(query, positions)) as StallPage | undefined;
  }

  /** Queues the messages of these stalls. Resolves when the queue has them. SL3 */
  private async tell(alert: Alert<StalledRule>, stalls: readonly Stall[]): Promise<void> {
    const {id, rule} = alert;
    const {publish, messageId} = this.ports;
    const told = stallAudience(alert, funnelNames(rule.funnel, this.ports.funnel(rule.funnel)), this.ports);
    for (const {deadlineMs, partition, user, generation, enteredMs, reachedMs} of stalls) {
      const trigger: Trigger = {
        v: 1,
        id: messageId(
          'stalled',
          ...[id, rule.funnel, String(rule.step)],
          ...[partition, generation, user, enteredMs].map(String),
        ),
        type: 'funnel.stalled',
        timestampMs: deadlineMs,
        of: {partition, generation, user, funnel: rule.funnel, alert: id, reached: rule.step, reachedMs, enteredMs},
      };
      await Promise.all(told.map((endpoint) => publish(endpoint.id, trigger)));
    }
  }
}

const placeOf = ({deadlineMs, partition, user}: StallPlace): StallPlace => ({deadlineMs, partition, user});
