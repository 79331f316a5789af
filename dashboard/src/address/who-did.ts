// The list of people who did something in one span and did, or did not do, something in others.
import {deedsMax} from '../../../actors/limits.js';
import {flatOf} from '../../../src/asks/question/flat.js';
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
  const did = deeds.map(({event, where, when, isAbsent}) => ({
    event: event ?? undefined,
    where: where.map(writeCondition),
    range: rangeOf(when),
    not: isAbsent,
  }));
  const users = {where: userWhere.map(writeCondition), did};
  return flatOf({report: 'people', users, timezone: zoneOf(deeds[0]!.when)});
}

const spanIn = (when: AskedDeed['when']): Span => ('before' in when ? when.before : when);
const zoneOf = (when: AskedDeed['when']): string => spanIn(when).zone ?? inUtc[1];

function rangeOf(when: AskedDeed['when']): {from?: string; to: string} {
  if (!('before' in when)) {
    const [from, to] = boundsText(when);
    return {from, to};
  }
  const {before} = when;
  const moment = before.fromMs === undefined ? {} : {untilMs: before.fromMs - 1};
  const [, to] = boundsText({zone: zoneOf(when), from: 0, to: before.from - 1, ...moment});
  return {to};
}
