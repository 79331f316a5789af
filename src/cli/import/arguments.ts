// The command line of `npm run import`, checked in one place.

import {resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {batchEventsMax} from '../../../actors/limits.js';
import {commandLine} from '../../command-line.js';
import {type Zone, zoneOf} from '../../zone.js';
import {type CsvColumns, type CsvMember, csvMembers} from './csv-export.js';
import {isVendorName, noEventsOfPlausible, type VendorName, vendorFormats} from './vendor-formats.js';

/** `--from`, of the services with this. */
const namesThat = (has: 'takesZone'): string =>
  Object.entries(vendorFormats)
    .filter(([, vendor]) => has in vendor)
    .map(([name]) => name)
    .join(', ');

export const usage = `Usage: ${commandLine('import', 'FILE|FOLDER… [options]')}

Sends the events of each FILE (one JSON object per line, as POST /v1/events takes it, or a JSON list of them; plain, .gz,
.br, or a .zip of such files) to a running service; of a FOLDER all files, sorted by name.
It also takes what ${commandLine('export', 'FILE')} wrote: events, and the traits of users. With --from it takes the export of
another service: events, traits and joined ids.

  --from SERVICE     whose export FILE is: ${Object.keys(vendorFormats).join(', ')}
  --timezone ZONE    the zone of times that have none: Europe/Berlin, +02:00, UTC (${namesThat('takesZone')})
  --map MEMBER=COLUMN,…  of a table: the column that is ${csvMembers.join(', ')}; the others are properties
  --website ID       of Umami's tables: whose events, where they have several
  --dry-run          send nothing; show calls, events by name, and what would be refused
  --url URL          the service (default: the one that runs on DATA_DIR, ./data)
  --key sk_write_…   a write key (default: MILLRACE_KEY, or the file MILLRACE_KEY_FILE; else a temporary one is created)
  --batch N          events per request, 1 to ${batchEventsMax} (default ${batchEventsMax})
  --concurrency N    requests at a time, 1 to 64 (default 4); one user's events always keep their order
  --state PATH       where an interrupted import of one file keeps its place (default: FILE.import-state.json)
  --restart          begin at the first line, despite a saved place
  --again            import a file although it was imported before
  --help             this text

A finished file is noted, and refused when it comes again; of several files it is passed over.
A line without a messageId gets one from its content and line number: importing the same events again within 7 days
counts nothing twice.
Exit code 0: all lines were accepted; 1: failed or interrupted (run it again to resume); 2: some lines were refused.
`;

export interface ImportArguments {
  /** Paths of files and folders, as they were typed. */
  readonly paths: readonly string[];
  /** Whose export it is; undefined: our own form. */
  readonly from: VendorName | undefined;
  /** Time zone of times that are written without one; undefined: they are refused. */
  readonly zone: Zone | undefined;
  /** Id of the website whose events are imported, where a Umami export has several; undefined: it has one. */
  readonly website: string | undefined;
  /** Columns of a CSV file, by what they mean (`--map`). */
  readonly columns: CsvColumns;
  readonly url: string | null;
  readonly key: string | null;
  readonly batchEvents: number;
  readonly laneCount: number;
  /** Undefined: beside each file. */
  readonly statePath: string | undefined;
  readonly isDryRun: boolean;
  readonly isRestart: boolean;
  /** Files that were imported before are imported again. */
  readonly isAgain: boolean;
}

/** The message is a sentence for the operator. */
export class ArgumentFault extends Error {
  override name = 'ArgumentFault';
}

const concurrencyMax = 64;

/** Relative paths refer to `folder`. Null: help is requested. */
export function readArguments(args: readonly string[], folder: string): ImportArguments | null {
  const {values, positionals} = parsed(args);
  if (values.help) return null;
  if (positionals.length === 0) throw new ArgumentFault('Name the file to import.');
  const from = values.from === undefined ? undefined : checkedVendor(values.from);
  return {
    paths: positionals.map((path) => resolve(folder, path)),
    from,
    zone: values.timezone === undefined ? undefined : checkedZone(values.timezone, from),
    columns: checkedColumns(values.map, from),
    website: checkedWebsite(values.website, from),
    url: values.url === undefined ? null : checkedUrl(values.url),
    key: values.key ?? null,
    batchEvents: checkedCount('--batch', values.batch, batchEventsMax),
    laneCount: checkedCount('--concurrency', values.concurrency, concurrencyMax),
    statePath: values.state === undefined ? undefined : resolve(folder, values.state),
    isDryRun: values['dry-run'],
    isRestart: values.restart,
    isAgain: values.again,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        from: {type: 'string'},
        timezone: {type: 'string'},
        website: {type: 'string'},
        map: {type: 'string', multiple: true, default: []},
        url: {type: 'string'},
        key: {type: 'string'},
        batch: {type: 'string', default: String(batchEventsMax)},
        concurrency: {type: 'string', default: '4'},
        state: {type: 'string'},
        'dry-run': {type: 'boolean', default: false},
        again: {type: 'boolean', default: false},
        restart: {type: 'boolean', default: false},
        help: {type: 'boolean', short: 'h', default: false},
      },
    });
  } catch (error) {
    throw new ArgumentFault((error as Error).message, {cause: error});
  }
}

function checkedVendor(name: string): VendorName {
  if (isVendorName(name)) return name;
  if (name === 'plausible') throw new ArgumentFault(noEventsOfPlausible);
  throw new ArgumentFault(`--from must be one of ${Object.keys(vendorFormats).join(', ')}, not "${name}".`);
}

function checkedZone(name: string, from: VendorName | undefined): Zone {
  if (from === undefined || !('takesZone' in vendorFormats[from]))
    throw new ArgumentFault(`--timezone is for times without a zone: --from ${namesThat('takesZone')}.`);
  const zone = zoneOf(name);
  if (zone === undefined) throw new ArgumentFault(`--timezone must be as Europe/Berlin or +02:00, not "${name}".`);
  return zone;
}

function checkedColumns(maps: readonly string[], from: VendorName | undefined): CsvColumns {
  if (maps.length > 0 && from !== 'csv') throw new ArgumentFault('--map is for the columns of --from csv.');
  const columns = new Map<CsvMember, string>();
  for (const one of maps.flatMap((map) => map.split(/,(?=\w+=)/))) {
    const [member, column = ''] = one.split(/=(.*)/s);
    const known = csvMembers.find((name) => name === member);
    if (known === undefined || column === '')
      throw new ArgumentFault(`--map must be MEMBER=COLUMN, of ${csvMembers.join(', ')}, not "${one}".`);
    columns.set(known, column);
  }
  return columns;
}

function checkedWebsite(website: string | undefined, from: VendorName | undefined): string | undefined {
  if (website !== undefined && from !== 'umami') throw new ArgumentFault('--website is for --from umami.');
  return website;
}

function checkedUrl(text: string): string {
  const isHttp = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!isHttp) throw new ArgumentFault(`--url must be an http or https address, not "${text}".`);
  return text;
}

function checkedCount(option: string, text: string, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > max) {
    throw new ArgumentFault(`${option} must be a whole number from 1 to ${max}, not "${text}".`);
  }
  return value;
}
