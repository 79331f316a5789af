// The command line of `npm run import`, checked in one place.

import {resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {batchEventsMax} from '../../../actors/limits.js';
import {commandLine} from '../../command-line.js';
import {isVendorName, type VendorName, vendorFormats} from './vendor-formats.js';

export const usage = `Usage: ${commandLine('import', 'FILE.ndjson[.gz] [options]')}

Sends the events of FILE (one JSON object per line, as POST /v1/events takes it; plain or gzip) to a running service.
It also takes what ${commandLine('export', 'FILE')} wrote: events, and the traits of users. With --from it takes the export of
another service: events, traits and joined ids.

  --from SERVICE     whose export FILE is: ${Object.keys(vendorFormats).join(', ')}
  --url URL          the service (default: the one that runs on DATA_DIR, ./data)
  --key sk_write_…   a write key (default: MILLRACE_KEY, or the file MILLRACE_KEY_FILE; else a temporary one is created)
  --batch N          events per request, 1 to ${batchEventsMax} (default ${batchEventsMax})
  --concurrency N    requests at a time, 1 to 64 (default 4); one user's events always keep their order
  --state PATH       where an interrupted import keeps its place (default: FILE.import-state.json)
  --restart          begin at the first line, despite a saved place
  --help             this text

A line without a messageId gets one from its content and line number: importing the same file again within 7 days
counts nothing twice.
Exit code 0: all lines were accepted; 1: failed or interrupted (run it again to resume); 2: some lines were refused.
`;

export interface ImportArguments {
  readonly path: string;
  /** Whose export it is; undefined: our own form. */
  readonly from: VendorName | undefined;
  readonly url: string | null;
  readonly key: string | null;
  readonly batchEvents: number;
  readonly laneCount: number;
  readonly statePath: string;
  readonly isRestart: boolean;
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
  const [path, ...others] = positionals;
  if (path === undefined) throw new ArgumentFault('Name the file to import.');
  if (others.length > 0) throw new ArgumentFault(`One file at a time; also given: ${others.join(', ')}.`);
  const file = resolve(folder, path);
  return {
    path: file,
    from: values.from === undefined ? undefined : checkedVendor(values.from),
    url: values.url === undefined ? null : checkedUrl(values.url),
    key: values.key ?? null,
    batchEvents: checkedCount('--batch', values.batch, batchEventsMax),
    laneCount: checkedCount('--concurrency', values.concurrency, concurrencyMax),
    statePath: values.state === undefined ? `${file}.import-state.json` : resolve(folder, values.state),
    isRestart: values.restart,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        from: {type: 'string'},
        url: {type: 'string'},
        key: {type: 'string'},
        batch: {type: 'string', default: String(batchEventsMax)},
        concurrency: {type: 'string', default: '4'},
        state: {type: 'string'},
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

export const noEventsOfPlausible =
  'Plausible exports visitors and counts per day, no events: they cannot become events here.';

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
