// What users of a list did: `did[n]` and `did_not[n]` in ranges, and the events that they mean.
import {deedsMax} from '../../../actors/limits.js';
import type {UsersMember} from '../../asks/question/members.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import {askedTime} from './asked-times.js';
import {conditionTexts} from './conditions.js';
import {name, optional, type TextForm} from './parameters.js';
import {numbered, numberedName, type QueryValues} from './query.js';
import {numberIn, renamed} from './renamed.js';

interface AskedRange {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const separator = '..';

const isBound = (text: string): boolean => text === '' || askedTime.parse(text) !== undefined;

/** An empty text is an open end. */
const askedRange: TextForm<AskedRange> = {
  schema: {type: 'string'},
  expected: 'two times with .. between them, as 2026-05-01..2026-05-07; without one of them that end is open',
  parse: (text) => {
    const at = text.indexOf(separator);
    const [from, to] = [text.slice(0, Math.max(0, at)), text.slice(at + separator.length)];
    if (at < 0 || !isBound(from) || !isBound(to)) return undefined;
    return {from: from === '' ? undefined : from, to: to === '' ? undefined : to};
  },
};

const ofNumber = 'belongs to the `did[n]` or `did_not[n]` of its number.';

export const deedsForm = {
  'did[n]': numbered(
    optional(askedRange, {
      description:
        `\`did[n]\`, n from 1 to ${deedsMax}: only users with an event in this range, \`2026-05-01..2026-05-07\`, both ends ` +
        'inclusive as `from` and `to` are, and open where there is no time. All numbers must hold.',
    }),
    deedsMax,
  ),
  'did_not[n]': numbered(
    optional(askedRange, {description: '`did_not[n]`: only users without such an event in this range.'}),
    deedsMax,
  ),
  'did_event[n]': numbered(
    optional(name, {description: `\`did_event[n]\`: the name of these events; it ${ofNumber} Absent: any name.`}),
    deedsMax,
  ),
  'did_where[n]': numbered(
    conditionTexts({
      description: `\`did_where[n]\`: only such events that meet this condition, in the form of \`where\`; it ${ofNumber}`,
    }),
    deedsMax,
  ),
};

type Values = QueryValues<typeof deedsForm>;
type Did = NonNullable<NonNullable<UsersMember>['did']>;

/** The member of a question. @throws RequestFailure */
export function deedsIn(values: Values): Did {
  const {'did[n]': did, 'did_not[n]': didNot, 'did_event[n]': events, 'did_where[n]': wheres} = values;
  for (const n of did.keys()) {
    if (didNot.has(n)) throw refused(numberedName('did_not[n]', n), `did[${n}] has this number already`);
  }
  for (const [form, given] of [
    ['did_event[n]', events],
    ['did_where[n]', wheres],
  ] as const) {
    for (const n of given.keys()) {
      if (!did.has(n) && !didNot.has(n)) throw refused(numberedName(form, n), `there is no did[${n}] or did_not[${n}]`);
    }
  }
  const deedIn = (n: number, range: AskedRange, not: boolean): Did[number] => ({
    event: events.get(n),
    where: [...(wheres.get(n) ?? [])],
    range,
    not,
  });
  return [
    ...[...did].map(([n, range]) => deedIn(n, range, false)),
    ...[...didNot].map(([n, range]) => deedIn(n, range, true)),
  ];
}

/** A refusal names the parameter of an entry, whose number may not be its place. */
export const inNumbersOf = <Value>({'did[n]': did, 'did_not[n]': didNot}: Values, read: () => Value): Value =>
  renamed((field) => {
    const place = numberIn(field);
    if (place?.base !== 'did') return undefined;
    const names = [...[...did.keys()].map((n) => `did[${n}]`), ...[...didNot.keys()].map((n) => `did_not[${n}]`)];
    return names[place.number - 1];
  }, read);

const refused = (field: string, why: string): RequestFailure =>
  new RequestFailure(invalidRequest(`${field}: ${why}`, field));
