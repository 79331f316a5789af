// Deeds of a list of users: `did[n]` and `did_not[n]` in ranges, and the events that they mean.
import {deedsMax} from '../../../actors/limits.js';
import type {Deed} from '../../asks/user-list.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import {type AskedTime, askedTime, momentsOf, type ZoneDefault} from './asked-times.js';
import {conditions} from './conditions.js';
import {name, optional, type TextForm} from './parameters.js';
import {numbered, numberedName, type QueryValues} from './query.js';
import {endOfTimeMs} from './recent-range.js';

interface AskedRange {
  readonly from: AskedTime | undefined;
  readonly to: AskedTime | undefined;
}

const separator = '..';

/** Undefined for a text that is no bound; an empty one is an open end. */
function boundOf(text: string): {readonly time: AskedTime | undefined} | undefined {
  if (text === '') return {time: undefined};
  const time = askedTime.parse(text);
  return time && {time};
}

const askedRange: TextForm<AskedRange> = {
  schema: {type: 'string'},
  expected: 'two times with .. between them, as 2026-05-01..2026-05-07; without one of them that end is open',
  parse: (text) => {
    const at = text.indexOf(separator);
    const from = at < 0 ? undefined : boundOf(text.slice(0, at));
    const to = at < 0 ? undefined : boundOf(text.slice(at + separator.length));
    return from && to && {from: from.time, to: to.time};
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
    conditions(`\`did_where[n]\`: only such events that meet this condition, in the form of \`where\`; it ${ofNumber}`),
    deedsMax,
  ),
};

type Values = QueryValues<typeof deedsForm> & Parameters<typeof momentsOf>[0];

/** @throws RequestFailure */
export function deedsOf(values: Values, service: ZoneDefault): Deed[] {
  const {'did[n]': did, 'did_not[n]': didNot, 'did_event[n]': events, 'did_where[n]': wheres} = values;
  for (const n of did.keys()) {
    if (didNot.has(n)) throw refused('did_not[n]', n, `did[${n}] has this number already`);
  }
  for (const [form, given] of [
    ['did_event[n]', events],
    ['did_where[n]', wheres],
  ] as const) {
    for (const n of given.keys()) {
      if (!did.has(n) && !didNot.has(n)) throw refused(form, n, `there is no did[${n}] or did_not[${n}]`);
    }
  }
  const deedOf = (form: string, n: number, range: AskedRange, isAbsent: boolean): Deed => {
    const {fromMs = 0, toMs = endOfTimeMs} = momentsOf({...values, ...range}, service); // The earliest time of an event is 1970.
    if (fromMs > toMs) throw refused(form, n, 'the range begins after it ends');
    const event = events.get(n);
    return {...(event === undefined ? {} : {event}), where: wheres.get(n) ?? [], fromMs, toMs, isAbsent};
  };
  return [
    ...[...did].map(([n, range]) => deedOf('did[n]', n, range, false)),
    ...[...didNot].map(([n, range]) => deedOf('did_not[n]', n, range, true)),
  ];
}

const refused = (form: string, n: number, why: string): RequestFailure => {
  const field = numberedName(form, n);
  return new RequestFailure(invalidRequest(`${field}: ${why}`, field));
};
