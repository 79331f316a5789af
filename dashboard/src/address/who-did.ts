// The list of people who did something in one span and did, or did not do, something in others.
import {deedsMax} from '../../../actors/limits.js';
import {type Condition, conditionsMax, writeCondition} from './conditions.js';
import {boundsText, inUtc, type Span} from './report-address.js';

export interface AskedDeed {
  /** Null: an event of any name. */
  readonly event: string | null;
  readonly where: readonly Condition[];
  /** `before`: ever before the span. */
  readonly when: Span | {readonly before: Span};
  /** Whether the users did not do it. */
  readonly isAbsent?: boolean;
}

/** Path of a list of users. All deeds are of one zone. Undefined: more conditions or deeds than the service takes. */
export function whoDidPath(deeds: readonly AskedDeed[], userWhere: readonly Condition[]): string | undefined {
  const lists = [userWhere, ...deeds.map(({where}) => where)];
  if (deeds.length > deedsMax || lists.some(({length}) => length > conditionsMax)) return undefined;
  const query = new URLSearchParams();
  for (const [at, {event, where, when, isAbsent}] of deeds.entries()) {
    const number = `[${at + 1}]`;
    query.append((isAbsent ? 'did_not' : 'did') + number, rangeText(when));
    if (event !== null) query.append(`did_event${number}`, event);
    for (const condition of where) query.append(`did_where${number}`, writeCondition(condition));
  }
  for (const condition of userWhere) query.append('user_where', writeCondition(condition));
  query.append(inUtc[0], zoneOf(deeds[0]!.when));
  return `v1/users?${query}`;
}

const spanIn = (when: AskedDeed['when']): Span => ('before' in when ? when.before : when);
const zoneOf = (when: AskedDeed['when']): string => spanIn(when).zone ?? inUtc[1];

function rangeText(when: AskedDeed['when']): string {
  if (!('before' in when)) return boundsText(when).join('..');
  const {before} = when;
  const moment = before.fromMs === undefined ? {} : {untilMs: before.fromMs - 1};
  const [, until] = boundsText({zone: zoneOf(when), from: 0, to: before.from - 1, ...moment});
  return `..${until}`;
}
