// The life of the example shop as the export files of other services have it, from what their documents say: each event with the ids, the
// time and the names that the service writes.
//   VE1. Copies of one shop are told apart by a name in all ids, and by their weeks: one service holds them side by side.
//   VE2. Times are whole seconds, as the coarsest of the forms has them. Actions of a visit are at least a second apart (VI1), so no
//        order changes.

import {appendFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import {pageViewed} from '../../tools/shop/catalogue.js';
import type {ShopEntry} from '../../tools/shop/entry.js';
import {type Packed, zipOf} from './zip.js';

/** What happened, or what became known of a user: the members of the entry's body. */
export interface Told {
  /** Absent: traits alone. */
  readonly event?: string;
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly properties?: Readonly<Record<string, string | number>>;
  readonly traits?: Readonly<Record<string, string | number>>;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly timeMs: number;
  readonly messageId: string;
}

/** The entries under other ids and at other times. VE1, VE2 */
export function copyOf(entries: Iterable<ShopEntry>, name: string, shiftMs: number): Told[] {
  const named = (id: string | undefined): string | undefined => id && `${name}-${id}`;
  return Array.from(entries, ({json, timeMs}) => {
    const {timestamp: _, userId, anonymousId, messageId, ...told} = JSON.parse(json) as Told & {timestamp: string};
    const ids = {userId: named(userId), anonymousId: named(anonymousId), messageId: named(messageId)};
    const there = Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== undefined));
    return {...told, ...there, timeMs: Math.floor(timeMs / 1_000) * 1_000 + shiftMs} as Told;
  });
}

/** The copy as entries that a player sends. */
export const entriesOf = (told: readonly Told[]): ShopEntry[] =>
  told.map(({timeMs, ...body}) => ({
    kind: body.event === undefined ? 'identify' : 'event',
    timeMs,
    json: JSON.stringify({...body, timestamp: iso(timeMs)}),
  }));

export interface ExportForm {
  /** `--from`, and what else the import has to be told. */
  readonly options: readonly string[];
  /** Whether the export has the traits of users. */
  readonly hasTraits: boolean;
  /** Writes the files into an empty folder. @returns what the import is given */
  readonly write: (told: readonly Told[], folder: string) => string;
}

const iso = (timeMs: number): string => new Date(timeMs).toISOString();
/** `2024-03-01 10:00:00.000000` */
const plainTime = (timeMs: number): string => `${iso(timeMs).slice(0, 23).replace('T', ' ')}000`;

/** The anonymous id under which each user is known. */
function devicesOf(told: readonly Told[]): Map<string, string> {
  const devices = new Map<string, string>();
  for (const {userId, anonymousId} of told)
    if (userId !== undefined && anonymousId !== undefined) devices.set(userId, anonymousId);
  return devices;
}

const linesAtOnce = 10_000;

/** Gzip in several members, as files are that a service appends to. */
function writeLines(path: string, lines: readonly object[]): string {
  writeFileSync(path, '');
  for (let at = 0; at < lines.length; at += linesAtOnce) {
    const some = lines.slice(at, at + linesAtOnce).map((line) => `${JSON.stringify(line)}\n`);
    appendFileSync(path, gzipSync(some.join(''), {level: 1}));
  }
  return path;
}

function segmentLine({
  event,
  userId = '',
  anonymousId = '',
  properties,
  traits,
  context,
  timeMs,
  messageId,
}: Told): object {
  const times = {timestamp: iso(timeMs), originalTimestamp: iso(timeMs + 9_000), sentAt: iso(timeMs + 9_100)};
  const common = {...times, receivedAt: iso(timeMs + 200), userId: userId || null, anonymousId: anonymousId || null};
  const envelope = {messageId, channel: 'client', integrations: {}, context, version: 2};
  if (event === undefined) return {type: 'identify', ...common, ...envelope, traits};
  const call = event === pageViewed ? {type: 'page', name: null} : {type: 'track', event};
  return {...call, ...common, ...envelope, properties};
}

/** Who logged in later has the user's id on what came before, and the id that it was sent with beside it. */
function mixpanelLine(
  {event, userId, anonymousId, properties, timeMs, messageId}: Told,
  owner: string | undefined,
): object {
  const device = `$device:${anonymousId}`;
  const isBefore = userId === undefined && owner !== undefined;
  const ids = {distinct_id: userId ?? owner ?? device, $device_id: anonymousId, $user_id: userId};
  const own = {time: timeMs / 1_000, $insert_id: messageId, mp_processing_time_ms: timeMs + 1_234};
  return {event, properties: {...own, ...ids, ...(isBefore && {$distinct_id_before_identity: device}), ...properties}};
}

/** The traits of a user are on every event, as they are at its time. */
function amplitudeLine({event, userId = '', anonymousId, properties, timeMs, messageId}: Told, traits: object): object {
  const times = {event_time: plainTime(timeMs), client_event_time: plainTime(timeMs + 9_000)};
  return {
    ...{$insert_id: messageId, uuid: `uuid-${messageId}`, $schema: null, amplitude_id: 1_004_511_497_868},
    ...{...times, server_upload_time: plainTime(timeMs + 2_000), library: 'amplitude-ts/2.4.0', platform: 'Web'},
    ...{event_type: event, user_id: userId || null, device_id: anonymousId, event_properties: properties},
    ...{user_properties: {...traits, initial_gclid: 'EMPTY'}, groups: {}, session_id: timeMs, version_name: null},
  };
}

/** One id: flags say whose. */
function posthogLine({event, userId, anonymousId, properties, traits, timeMs, messageId}: Told, name = event): object {
  const timestamp = iso(timeMs).replace('Z', '123+00:00');
  const flags = {$is_identified: userId !== undefined, $device_id: anonymousId};
  return {
    ...{uuid: messageId, event: name, distinct_id: userId ?? anonymousId, timestamp, created_at: timestamp, team_id: 1},
    properties: {...flags, ...properties, ...(traits && {$set: traits})},
    person_properties: {...traits},
  };
}

/** Names of parameters, each with a value in a field for its type; whole numbers are texts. */
const ga4Values = (values: Told['properties']): object[] =>
  Object.entries(values ?? {}).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? {string_value: value} : {int_value: String(value)},
  }));

function ga4Line({event, userId, anonymousId, properties, timeMs}: Told, traits: Told['traits'], at: number): object {
  return {
    ...{event_date: iso(timeMs).slice(0, 10).replaceAll('-', ''), event_timestamp: `${timeMs}000`, event_name: event},
    ...{event_params: ga4Values(properties), user_properties: ga4Values(traits)},
    ...{user_id: userId, user_pseudo_id: anonymousId, event_bundle_sequence_id: String(at), batch_event_index: '1'},
    ...{device: {category: 'mobile', language: 'de-de'}, geo: {country: 'Germany'}, platform: 'WEB', items: []},
  };
}

/** India has no summer time. */
const kolkataMs = 5.5 * 3_600_000;

/** CSV as most programs write it: quotes where they are needed. */
type Cell = string | number | undefined;
const tableOf = (columns: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [columns, ...rows].map((row) => `${row.map(fieldOf).join(',')}\r\n`).join('');
const fieldOf = (value: string | number | undefined): string =>
  /[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value ?? '');

const umamiColumns = [
  ...['event_id', 'website_id', 'session_id', 'created_at', 'url_path', 'url_query', 'referrer_domain', 'page_title'],
  ...['event_type', 'event_name', 'distinct_id', 'browser', 'screen', 'language'],
];
const umamiDataColumns = ['website_id', 'event_id', 'data_key', 'string_value', 'number_value', 'data_type'];
const umamiSessionColumns = [
  ...['website_id', 'session_id', 'distinct_id', 'data_key', 'string_value', 'number_value', 'data_type', 'created_at'],
];

function umamiRow({event, userId, anonymousId, properties, timeMs, messageId}: Told, website: string): Cell[] {
  const [path, type] = [properties?.path, event === pageViewed ? '1' : '2'];
  const time = plainTime(timeMs + kolkataMs).slice(0, 19);
  const own = [messageId, website, anonymousId, time, path, '', 'search.example.org', 'Shop'];
  return [...own, type, event === pageViewed ? '' : event, userId, 'chrome', '390x844', 'de-DE'];
}

/** Text and number have columns of their own; numbers have four digits. */
const umamiCells = (key: string, value: string | number): Cell[] =>
  typeof value === 'string' ? [key, value, '', '1'] : [key, '', value.toFixed(4), '2'];

/** Tables are in no order. */
const inDisorder = <T>(rows: readonly T[]): T[] => rows.map((_, at) => rows[(at * 7_919) % rows.length]!);

export const exportForms: Readonly<Record<string, ExportForm>> = {
  segment: {
    options: ['--from', 'segment'],
    hasTraits: true,
    write: (told, folder) => writeLines(join(folder, '1709287200000.part.gz'), told.map(segmentLine)),
  },
  mixpanel: {
    options: ['--from', 'mixpanel'],
    hasTraits: false,
    write: (told, folder) => {
      const owners = new Map([...devicesOf(told)].map(([user, device]) => [device, user]));
      const events = told.filter(({event}) => event !== undefined);
      return writeLines(
        join(folder, 'export.jsonl.gz'),
        events.map((event) => mixpanelLine(event, owners.get(event.anonymousId ?? ''))),
      );
    },
  },
  amplitude: {
    options: ['--from', 'amplitude'],
    hasTraits: true,
    write: (told, folder) => {
      const traits = new Map<string, object>();
      const lines = told.flatMap((one) => {
        const {event, userId = ''} = one;
        if (event === undefined) traits.set(userId, {...traits.get(userId), ...one.traits});
        return event === undefined ? [] : [JSON.stringify(amplitudeLine(one, traits.get(userId) ?? {}))];
      });
      const hours = Array.from({length: Math.ceil(lines.length / linesAtOnce)}, (_, hour) => ({
        name: `187520/187520_2024-03-01_${String(hour).padStart(4, '0')}#1.json.gz`,
        content: gzipSync(lines.slice(hour * linesAtOnce, (hour + 1) * linesAtOnce).join('\n'), {level: 1}),
        isDeflated: false,
      }));
      const path = join(folder, 'export.zip');
      writeFileSync(path, zipOf(hours));
      return path;
    },
  },
  posthog: {
    options: ['--from', 'posthog'],
    hasTraits: true,
    write: (told, folder) => {
      const devices = devicesOf(told);
      const known = new Set<string>();
      const lines = told.map((one) => {
        const {event, userId = ''} = one;
        if (event !== undefined) return posthogLine(one);
        if (known.has(userId)) return posthogLine(one, '$set');
        known.add(userId);
        return posthogLine({...one, properties: {$anon_distinct_id: devices.get(userId)!}}, '$identify');
      });
      return writeLines(join(folder, 'events.jsonl.gz'), lines);
    },
  },
  ga4: {
    options: ['--from', 'ga4'],
    hasTraits: true,
    write: (told, folder) => {
      const traits = new Map<string, Told['traits']>();
      const lines = told.flatMap((one, at) => {
        const {event, userId = ''} = one;
        if (event === undefined) traits.set(userId, {...traits.get(userId), ...one.traits});
        return event === undefined ? [] : [ga4Line(one, traits.get(userId), at)];
      });
      return writeLines(join(folder, 'events_000000000000.json.gz'), lines);
    },
  },
  umami: {
    options: ['--from', 'umami', '--timezone', 'Asia/Kolkata', '--website', 'shop'],
    hasTraits: true,
    write: (told, folder) => {
      const events = told.filter(({event}) => event !== undefined);
      const other = umamiRow(
        {event: pageViewed, anonymousId: 'other', timeMs: events[0]!.timeMs, messageId: 'o'},
        'blog',
      );
      const rows = [other, ...inDisorder(events).map((event) => umamiRow(event, 'shop'))];
      const data = events.flatMap(({messageId, properties}) =>
        Object.entries(properties ?? {}).map(([key, value]) => ['shop', messageId, ...umamiCells(key, value)]),
      );
      const sessions = told.flatMap(({userId, traits, timeMs}) =>
        Object.entries(traits ?? {}).map(([key, value]) => [
          ...['shop', `session of ${userId}`, userId, ...umamiCells(key, value)],
          plainTime(timeMs + kolkataMs).slice(0, 19),
        ]),
      );
      const path = join(folder, 'umami.zip');
      const file = (name: string, columns: readonly string[], of: readonly (readonly Cell[])[]): Packed => ({
        name,
        content: Buffer.from(tableOf(columns, of)),
      });
      const tables = [
        file('website_event.csv', umamiColumns, rows),
        file('event_data.csv', umamiDataColumns, inDisorder(data)),
        file('session_data.csv', umamiSessionColumns, sessions),
      ];
      writeFileSync(path, zipOf(tables));
      return path;
    },
  },
  csv: {
    options: [
      ...['--from', 'csv', '--timezone', 'Asia/Kolkata'],
      ...['--map', 'event=name,timestamp=at', '--map', 'userId=customer,anonymousId=visitor,messageId=id'],
    ],
    hasTraits: false,
    write: (told, folder) => {
      const events = told.filter(({event}) => event !== undefined);
      const names = [...new Set(events.flatMap(({properties}) => Object.keys(properties ?? {})))];
      const rows = events.map(({event, userId, anonymousId, properties, timeMs, messageId}) => [
        ...[messageId, event, plainTime(timeMs + kolkataMs), userId, anonymousId],
        ...names.map((name) => properties?.[name]),
      ]);
      const path = join(folder, 'events.csv.gz');
      writeFileSync(path, gzipSync(tableOf(['id', 'name', 'at', 'customer', 'visitor', ...names], rows), {level: 1}));
      return path;
    },
  },
};
