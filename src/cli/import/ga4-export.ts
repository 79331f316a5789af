// Google Analytics 4's export to BigQuery, as JSON lines: an event with its parameters, its ids, and what is known of its user.
//   GA1. A row has no id of its own. Its place in the batches of its device identifies it; of older exports, which do not say it, the
//        whole row does. Rows that are equal in everything are events of their own, and are counted apart within `copiesMax` rows.

import {hash} from 'node:crypto';
import {isoText} from '../../../actors/calendar.js';
import {
  type Call,
  eventOf,
  given,
  hasSome,
  identifyOf,
  idOf,
  objectOf,
  type Translation,
  withMore,
  without,
} from '../../edge/compatible/translator.js';
import {pageOf, someOf} from '../../edge/compatible/web-fields.js';

/** What identifies a row. GA1 */
const place = [
  ...['user_pseudo_id', 'event_timestamp', 'event_name', 'event_bundle_sequence_id'],
  ...['batch_page_id', 'batch_ordering_id', 'batch_event_index'],
];
/** Members of which nothing is stored. */
export const unstoredOfGa4: ReadonlySet<string> = new Set([
  ...[...place, 'event_date', 'event_previous_timestamp', 'event_server_timestamp_offset', 'stream_id'],
  ...['user_first_touch_timestamp', 'is_active_user', 'user_id'],
]);
const ofProperties = ['event_params', 'items', 'ecommerce', 'event_value_in_usd'] as const;
/** Members that do not go to the context as they are. */
const noContext = new Set<string>([...unstoredOfGa4, ...ofProperties, 'user_properties', 'device']);

const copiesMax = 10_000;

export function ga4Translate(): (line: Call) => Translation {
  const copies = new Map<string, number>();
  return (line) => {
    const ids = {userId: idOf(line.user_id), anonymousId: idOf(line.user_pseudo_id)};
    // Without consent there is no id: such rows say that something happened, and not to whom.
    if ((ids.userId ?? ids.anonymousId) === undefined) return {kind: 'event', native: [], ignored: ['event_name']};
    const common = {...ids, messageId: messageIdOf(line, copies), timestamp: timestampOf(line.event_timestamp)};
    const params = valuesOf(line.event_params);
    const {items, ecommerce, event_value_in_usd} = line;
    const more = {items: hasSome(items) ? items : undefined, ecommerce, event_value_in_usd};
    const properties = withMore(params, more);
    const event = eventOf({event: line.event_name, ...common, properties, context: contextOf(line, params)});
    const traits = valuesOf(line.user_properties);
    if (!hasSome(traits)) return {kind: 'event', native: [event], ignored: []};
    // Traits belong to known users.
    if (ids.userId === undefined) return {kind: 'event', native: [event], ignored: ['user_properties']};
    return {kind: 'event', native: [identifyOf({...common, traits}), event], ignored: []};
  };
}

/** GA1 */
function messageIdOf(line: Call, copies: Map<string, number>): string {
  const isPlaced = given(line.batch_event_index) !== undefined;
  const key = hash('sha256', JSON.stringify(isPlaced ? place.map((name) => line[name] ?? null) : line), 'base64url');
  const earlier = (!isPlaced && copies.get(key)) || 0;
  if (!isPlaced) {
    copies.delete(key);
    copies.set(key, earlier + 1);
    if (copies.size > copiesMax) copies.delete(copies.keys().next().value!);
  }
  return `ga4-${key.slice(0, 22)}${earlier === 0 ? '' : `/${earlier + 1}`}`;
}

/** Microseconds, as a number or its digits; undefined: it is no time. */
function timestampOf(micros: unknown): string | undefined {
  return /^\d{1,16}$/.test(String(micros)) ? isoText(Math.floor(Number(micros) / 1_000)) : undefined;
}

/** A list of keys with a value in a field for its type. */
function valuesOf(list: unknown): Call {
  const entries = Array.isArray(list) ? list.map(objectOf) : [];
  return Object.fromEntries(
    entries.flatMap(({key, value}) => {
      const plain = typedValue(objectOf(value));
      return typeof key !== 'string' || plain === undefined ? [] : [[key, plain]];
    }),
  );
}

/** A whole number is written as its digits, and stays them where a double does not hold it. */
function typedValue({string_value: text, int_value: int, float_value: float, double_value: double}: Call): unknown {
  const whole = given(int);
  if (whole !== undefined) return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
  return double ?? float ?? text ?? undefined;
}

function contextOf(line: Call, params: Call): Call | undefined {
  const device = objectOf(line.device);
  const {page_location: url, page_title: title, page_referrer: referrer} = params;
  return someOf({
    ...objectOf(without(line, noContext)),
    page: pageOf({url, title, referrer}),
    device: someOf({...device, type: given(device.category)}),
    os: someOf({name: given(device.operating_system)}),
    browser: someOf({name: given(objectOf(device.web_info).browser, device.browser)}),
    locale: given(device.language),
  });
}
