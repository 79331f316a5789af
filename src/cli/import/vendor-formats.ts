// The export files of other services: each line as a call of the service's library, which a translator of the compatible routes
// reads (src/edge/compatible). A line means what the call meant when the library sent it.
//   VF1. A line without a time that can be read is refused: the time of the import is not the time of an event.
//   VF2. A number that a double would change refuses its line, unless nothing of its field is stored.

import {parseTimestamp} from '../../../actors/log/timestamp.js';
import {amplitude} from '../../edge/compatible/amplitude.js';
import {mixpanel} from '../../edge/compatible/mixpanel.js';
import {posthog} from '../../edge/compatible/posthog.js';
import {segment} from '../../edge/compatible/segment.js';
import {
  type Call,
  type CallRequest,
  fieldsOf,
  given,
  hasSome,
  objectOf,
  type Translation,
  type Translator,
  timeOf,
  without,
} from '../../edge/compatible/translator.js';
import {inexactNumber} from '../../ingest/inexact-numbers.js';
import {inexact as inexactRefusal, type Refusal} from '../../ingest/refusals.js';
import {isJsonObject} from '../../ingest/validate.js';
import {jsonOrUndefined} from '../../json.js';
import type {Zone} from '../../zone.js';
import {type CsvColumns, csvTranslate} from './csv-export.js';
import {ga4Translate, unstoredOfGa4} from './ga4-export.js';
import {umamiTranslate} from './umami-export.js';

type Translate = (line: Call) => Translation | Refusal;

/** What the operator says about an export, where it does not say it itself. */
export interface FormatOptions {
  /** Time zone of times that are written without one. */
  readonly zone?: Zone | undefined;
  readonly columns?: CsvColumns;
}

interface Vendor {
  /** As people write it. */
  readonly title: string;
  /** Its lines are the rows of a table. */
  readonly isTable?: true;
  /** Its times may lack a zone. */
  readonly takesZone?: true;
  /** What a line means. It may count what it reads: it is for one file. */
  readonly translator: (options: FormatOptions) => Translate;
  /** Fields of a line of which nothing is stored. VF2 */
  readonly unstored: ReadonlySet<string>;
}

/** How the lines of one file are read. */
export interface VendorFormat {
  readonly translate: Translate;
  readonly unstored: ReadonlySet<string>;
}

const noFields: ReadonlySet<string> = new Set();

/** Lines are calls of a library, or become such by `callOf`. */
const asCalls =
  (translator: Translator, request: Partial<CallRequest>, callOf: (line: Call) => Call): Translate =>
  (line) =>
    translator.translate(callOf(line), {fields: new Map(), ...request});

export const vendorFormats = {
  segment: {
    title: 'Segment',
    translator: () => asCalls(segment, {isImport: true}, (line) => line),
    unstored: noFields,
  },
  mixpanel: {
    title: 'Mixpanel',
    takesZone: true,
    translator: ({zone}) => asCalls(mixpanel, {}, (line) => mixpanelCall(line, zone)),
    unstored: noFields,
  },
  amplitude: {
    title: 'Amplitude',
    translator: () => asCalls(amplitude, {}, amplitudeCall),
    unstored: new Set([
      ...['amplitude_id', 'amplitude_attribution_ids', 'amplitude_event_type', 'app', 'data', 'data_type', 'source_id'],
      ...['$insert_id', '$insert_key', '$schema', 'uuid', 'event_time', 'client_event_time', 'client_upload_time'],
      ...['server_received_time', 'server_upload_time', 'processed_time', 'user_creation_time'],
      ...['is_attribution_event', 'partner_id', 'sample_rate', 'global_user_properties'],
    ]),
  },
  posthog: {
    title: 'PostHog',
    translator: () => asCalls(posthog, {fields: new Map([['historical_migration', true]])}, posthogCall),
    unstored: new Set([
      ...['team_id', 'project_id', 'person_id', 'person_properties', 'elements', 'elements_chain', 'elements_hash'],
      ...['created_at', 'inserted_at', '_inserted_at', 'person_created_at', 'person_mode', 'site_url'],
    ]),
  },
  ga4: {
    title: 'Google Analytics 4',
    translator: ga4Translate,
    unstored: unstoredOfGa4,
  },
  umami: {
    title: 'Umami',
    isTable: true,
    takesZone: true,
    translator: ({zone}) => umamiTranslate(zone),
    unstored: noFields,
  },
  csv: {
    title: 'a table',
    isTable: true,
    takesZone: true,
    translator: ({columns = new Map(), zone}) => csvTranslate(columns, zone),
    unstored: noFields,
  },
} as const satisfies Readonly<Record<string, Vendor>>;

export const isTable = (from: VendorName | undefined): boolean =>
  from !== undefined && 'isTable' in vendorFormats[from];

/** For the lines of one file. */
export function formatOf(from: VendorName, options: FormatOptions = {}): VendorFormat {
  const {translator, unstored}: Vendor = vendorFormats[from];
  return {translate: translator(options), unstored};
}

export const noEventsOfPlausible =
  'Plausible exports visitors and counts per day, no events: they cannot become events here.';

export type VendorName = keyof typeof vendorFormats;

export const isVendorName = (name: string): name is VendorName => Object.hasOwn(vendorFormats, name);

/** What a line means, or why it is refused. */
export function translateLine(text: string, line: Call, format: VendorFormat): Translation | Refusal {
  const inexact =
    inexactNumber(Buffer.from(text), (field) => !format.unstored.has(field)) ??
    (typeof line.properties === 'string' ? inexactNumber(Buffer.from(line.properties), () => true) : undefined);
  if (inexact !== undefined) return inexactRefusal('properties', inexact);
  const translation = format.translate(line);
  if ('code' in translation) return translation;
  return translation.native.every(({value}) => hasTime(value.timestamp)) ? translation : noTime; // VF1
}

const hasTime = (timestamp: unknown): timestamp is string =>
  typeof timestamp === 'string' && !Number.isNaN(parseTimestamp(timestamp));

const noTime: Refusal = {code: 'invalid_event', message: 'the line has no time that can be read', field: 'timestamp'};

/**
 * Events from before a login have the user's id in the export, and the id that they were sent with beside it. Projects from before
 * 2023 may have the time of their zone, as if it were UTC.
 */
function mixpanelCall(sent: Call, zone: Zone | undefined): Call {
  if (!isJsonObject(sent.properties)) return sent;
  const utcText = timeOf(sent.properties.time);
  const isLocal = zone !== undefined && typeof sent.properties.time === 'number' && hasTime(utcText);
  const time = isLocal ? zone.firstAt(parseTimestamp(utcText)) : sent.properties.time;
  const properties = time === sent.properties.time ? sent.properties : {...sent.properties, time};
  const line = {...sent, properties};
  const before = given(properties.$distinct_id_before_identity);
  if (before === undefined) return line;
  const left = objectOf(without(properties, idsBeforeLogin));
  const isOther = before !== properties.distinct_id && given(properties.$device_id) === undefined;
  return {...line, properties: isOther ? {...left, $device_id: withoutPrefix(before)} : left};
}
const idsBeforeLogin = new Set(['$distinct_id_before_identity']);
const withoutPrefix = (id: unknown): unknown => (typeof id === 'string' ? id.replace(/^\$device:/, '') : id);

/** Times are texts in UTC, and nothing is a text in the fields of a user. */
function amplitudeCall(line: Call): Call {
  const {groups, user_properties: properties} = line;
  const known = isJsonObject(properties)
    ? Object.fromEntries(Object.entries(fieldsOf(properties)).filter(([, value]) => value !== 'EMPTY'))
    : properties;
  return {
    ...objectOf(without(line, vendorFormats.amplitude.unstored)),
    groups: hasSome(groups) ? groups : undefined,
    user_properties: known,
    insert_id: given(line.$insert_id, line.uuid),
    time: given(line.event_time),
  };
}

/** Properties are an object, or its JSON as a text; traits may have columns of their own. */
function posthogCall(line: Call): Call {
  const [properties, set, once] = [line.properties, line.set, line.set_once].map(asJson);
  const {set: _set, set_once: _once, ...left} = line;
  const inProperties = objectOf(properties);
  return {
    ...left,
    properties,
    ...(!hasSome(inProperties.$set) && hasSome(set) && {$set: set}),
    ...(!hasSome(inProperties.$set_once) && hasSome(once) && {$set_once: once}),
  };
}
const asJson = (value: unknown): unknown => (typeof value === 'string' ? (jsonOrUndefined(value) ?? value) : value);

/** Whose line it looks like; undefined: ours, or nobody's that is known. */
export function vendorOf(line: unknown): VendorName | undefined {
  if (!isJsonObject(line)) return undefined;
  if ('event_type' in line && ('event_time' in line || 'amplitude_id' in line)) return 'amplitude';
  if ('event_timestamp' in line && 'event_params' in line) return 'ga4';
  if (segment.kinds.includes(String(line.type)) && ('messageId' in line || 'originalTimestamp' in line)) {
    return 'segment';
  }
  if (!('event' in line) || 'userId' in line || 'anonymousId' in line) return undefined;
  if ('distinct_id' in line && ('uuid' in line || 'timestamp' in line)) return 'posthog';
  const properties = objectOf(line.properties);
  return 'distinct_id' in properties && 'time' in properties ? 'mixpanel' : undefined;
}
