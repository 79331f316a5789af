// The stored record of an alert: its state, and the messages that are not queued yet.
//   AR1. A change and its messages are written together (kept-records.ts).
//   AR2. In quiet hours the changes of chats are collected. They end in one message, which says how many there were, also of an
//        alert that is paused or has no reading then.
//   AR3. After a change of its rule an alert's state starts anew with the first reading that is judged. If it fired before and does not
//        fire then, this is told as its end: nobody is left with an alert that no reading ends. Messages that wait stay.
//   AR4. The id of a message follows from the alert, its state, the positions, and the number of changed rules that were judged before.
//        Positions alone do not do: a process that takes over after an edit judges the same positions by the new rule.

import {isoText} from '../../actors/calendar.js';
import type {EndpointKind} from '../webhooks/endpoint.js';
import type {Zone} from '../zone.js';
import {type AlertState, type Change, step} from './alert-state.js';
import type {Alert, StateRule} from './definition.js';
import type {WaitingMessage} from './kept-records.js';
import type {PublishedSet} from './published-set.js';
import {quietUntil} from './quiet-hours.js';
import type {Reading, RuleContext} from './rule-questions.js';
import {joinedText, type NameOf, textOf} from './texts.js';

/** Texts kept from one quiet night: more do not fit a message. */
const deferredTextsMax = 40;

/** `data` of the alert's messages (docs/api/alerts.md). */
type AlertData = WaitingMessage['data'];

/** Changes that wait for the end of the quiet hours. AR2 */
interface Deferred {
  readonly untilMs: number;
  readonly count: number;
  /** Texts of the newest changes, the newest last. */
  readonly texts: readonly string[];
  /** Data of the newest change. */
  readonly data: AlertData;
}

export interface AlertRecord extends AlertState {
  /** JSON text of the rule that was judged. AR3 */
  readonly rule: string;
  /** Changes of the rule since the first reading; absent: none. AR4 */
  readonly edits?: number;
  readonly waiting: readonly WaitingMessage[];
  readonly deferred?: Deferred;
}

/** Receivers of an alert's messages, and the ids of these messages. */
interface Audience {
  /** Receivers: the alert's own endpoints that exist, or those that subscribe if it names none. */
  readonly endpoints: readonly {readonly id: string; readonly kind: EndpointKind}[];
  /** Time zone of the quiet hours; undefined without any. */
  readonly zone: Zone | undefined;
  /** Name of a saved funnel or segment. */
  readonly nameOf?: NameOf | undefined;
  /** Derives the `webhook-id` from these parts. */
  readonly messageId: (...parts: readonly string[]) => string;
}

/** Whether a stored state is of the rule that the alert has now. AR3 */
export const isOfRule = ({rule: judged}: Pick<AlertRecord, 'rule'>, {rule}: Pick<Alert, 'rule'>): boolean =>
  judged === JSON.stringify(rule);

/** What is known of the event of an absence. */
export const seenBy = (
  known: AlertRecord | undefined,
  alert: Alert<StateRule>,
): Pick<RuleContext, 'wasSeen' | 'lookedMs'> =>
  known !== undefined && isOfRule(known, alert) ? {wasSeen: known.wasSeen, lookedMs: known.lookedMs} : {};

/** The record after a reading of a set; a lag has one without positions. */
export function advanced(
  known: AlertRecord | undefined,
  alert: Alert<StateRule>,
  reading: Reading,
  {positions, refreshMs}: Pick<PublishedSet, 'positions' | 'refreshMs'>,
  audience: Audience,
): AlertRecord {
  const isNewRule = known !== undefined && !isOfRule(known, alert);
  if (isNewRule && reading.holds === undefined) return quietEnded(known, alert, reading.toMs, positions, audience);
  const {waiting = [], deferred, edits: editsBefore = 0} = known ?? {};
  const edits = isNewRule ? editsBefore + 1 : editsBefore;
  const {state, change} = step(isNewRule ? undefined : known, reading, positions, {...alert, refreshMs});
  const rule = JSON.stringify(alert.rule);
  const record = {...state, rule, ...(edits > 0 && {edits}), waiting, ...(deferred && {deferred})};
  const ended = quietEnded(record, alert, reading.toMs, positions, audience);
  const isOver = isNewRule && known.state === 'firing' && state.state === 'ok'; // AR3
  const toTell = isOver ? {state: 'ok' as const, isAgain: false, reading, positions} : change;
  return toTell === undefined ? ended : told(ended, alert, toTell, audience);
}

/** The record at `nowMs`: deferred changes are queued once the quiet hours are over. AR2 */
export function quietEnded(
  record: AlertRecord,
  alert: Alert<StateRule>,
  nowMs: number,
  positions: string,
  audience: Audience,
): AlertRecord {
  const {deferred, ...rest} = record;
  if (deferred === undefined || nowMs < deferred.untilMs) return record;
  const chats = audience.endpoints.filter(isChat);
  const {data, texts, count} = deferred;
  const message = {
    id: idOf(record, alert, 'quiet', positions || String(nowMs), audience),
    timestampMs: nowMs,
    data: {...data, text: joinedText(alert.name, texts, count)},
    endpoints: idsOf(chats),
  };
  return {...rest, waiting: withMessage(rest.waiting, message)};
}

function told(record: AlertRecord, alert: Alert<StateRule>, change: Change, audience: Audience): AlertRecord {
  const {endpoints, zone, nameOf} = audience;
  const {toMs} = change.reading;
  const data = dataOf(alert, change, nameOf);
  const untilMs = alert.quietHours && zone && quietUntil(alert.quietHours, zone, toMs);
  const atOnce = untilMs === undefined ? endpoints : endpoints.filter((endpoint) => !isChat(endpoint));
  const message = {
    id: idOf(record, alert, change.state, change.positions || String(toMs), audience),
    timestampMs: toMs,
    data,
    endpoints: idsOf(atOnce),
  };
  const queued = {...record, waiting: withMessage(record.waiting, message)};
  if (untilMs === undefined || atOnce.length === endpoints.length) return queued;
  const {count = 0, texts = []} = record.deferred ?? {};
  return {
    ...queued,
    deferred: {untilMs, count: count + 1, texts: [...texts, data.text].slice(-deferredTextsMax), data},
  };
}

/** `what`: the state, or `quiet` for the message that ends quiet hours. `at`: the positions, or the time of a lag. AR4 */
const idOf = (
  {edits}: Pick<AlertRecord, 'edits'>,
  {id}: Alert,
  what: AlertState['state'] | 'quiet',
  at: string,
  {messageId}: Audience,
): string => messageId('alert', id, what, at, ...(edits === undefined ? [] : [String(edits)]));

const isChat = ({kind}: {readonly kind: EndpointKind}): boolean => kind !== 'webhook';
const idsOf = (endpoints: Audience['endpoints']): string[] => endpoints.map(({id}) => id);

const withMessage = (waiting: readonly WaitingMessage[], message: WaitingMessage): readonly WaitingMessage[] =>
  message.endpoints.length === 0 ? waiting : [...waiting, message];

function dataOf(alert: Alert<StateRule>, change: Change, nameOf: NameOf | undefined): AlertData {
  const {value, bound, fromMs, toMs} = change.reading;
  const {id, name, rule} = alert;
  return {
    alert: {id, name},
    state: change.state,
    value,
    bound,
    from: isoText(fromMs),
    to: isoText(toMs),
    report_log_position: change.positions === '' ? null : change.positions,
    text: textOf({name, rule, nameOf}, change),
  };
}

/** Whether a change must be stored. */
export const differs = (known: AlertRecord | undefined, next: AlertRecord): boolean =>
  JSON.stringify(known) !== JSON.stringify(next);
