// `npm run retention`: from when on events are kept, and how many would expire with another RETENTION_DAYS (docs/operating.md).
import {parseArgs} from 'node:util';
import {isoText} from '../../actors/calendar.js';
import {dayMs} from '../../actors/limits.js';
import {wallMs} from '../clock.js';
import {commandLine} from '../command-line.js';
import {AdminFault} from './admin-client.js';
import {count} from './import/progress.js';
import {findService, type ServiceAddress} from './import/service-address.js';

const answerMsMax = 60_000;

const usage = `Usage: ${commandLine('retention')} [--days N]

Says from when on the service keeps events. With --days it says how many events are older than N days: they expire once
the service starts with RETENTION_DAYS=N. It changes nothing.
Works on the service that runs on DATA_DIR (default ./data).
`;

interface NamesPage {
  readonly data: readonly {readonly count: number}[];
  readonly next_cursor: string | null;
}

// The environment: this program reads it only here.
const dataDir = process.env.DATA_DIR || './data';

async function run(days: number | undefined): Promise<void> {
  const service = await findService({url: null, key: null, dataDir, keyName: 'retention', keyKind: 'read'});
  try {
    const {retainedFrom} = await eventsUntil(service, isoText(wallMs()));
    say(retainedFrom === null ? 'No event has expired.\n' : `Events are kept from ${retainedFrom} on.\n`);
    if (days === undefined) return;
    const keptFromMs = (Math.floor(wallMs() / dayMs) - days) * dayMs;
    const {events} = await eventsUntil(service, isoText(keptFromMs - 1));
    const before = isoText(keptFromMs).slice(0, 10);
    say(`${count(events)} events are from before ${before}: they expire with RETENTION_DAYS=${days}.\n`);
  } finally {
    await service.release();
  }
}

/** How many events there are until then, and from when on events are kept; null: none has expired. */
async function eventsUntil(
  {baseUrl, key}: ServiceAddress,
  to: string,
): Promise<{readonly events: number; readonly retainedFrom: string | null}> {
  let events = 0;
  for (let cursor: string | null = null; ; ) {
    const asked = new URLSearchParams({from: '1970-01-01', to, limit: '1000', hidden: 'true', ...(cursor && {cursor})});
    const answer: Response = await fetch(`${baseUrl}/v1/names?${asked}`, {
      headers: {authorization: `Bearer ${key}`},
      signal: AbortSignal.timeout(answerMsMax),
    });
    const page = (await answer.json()) as NamesPage & {error?: {message: string}};
    if (!answer.ok)
      throw new AdminFault(`The service refused (${answer.status}): ${page.error?.message ?? answer.statusText}.`);
    events += page.data.reduce((sum, name) => sum + name.count, 0);
    cursor = page.next_cursor;
    if (cursor === null) return {events, retainedFrom: answer.headers.get('Report-Retained-From')};
  }
}

function readDays(words: readonly string[]): number | 'help' | undefined {
  const options = {days: {type: 'string'}, help: {type: 'boolean', short: 'h', default: false}} as const;
  const {values} = parseArgs({args: [...words], options});
  if (values.help) return 'help';
  if (values.days === undefined) return undefined;
  if (!/^[1-9]\d{0,4}$/.test(values.days)) throw new AdminFault('--days takes a number of days, from 1 on.');
  return Number(values.days);
}

const say = (text: string): void => void process.stdout.write(text);

try {
  const days = readDays(process.argv.slice(2));
  if (days === 'help') say(usage);
  else await run(days);
} catch (error) {
  const isAsked = error instanceof AdminFault || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
  if (!isAsked) throw error;
  process.stderr.write(`${(error as Error).message}\n${error instanceof AdminFault ? '' : usage}`);
  process.exitCode = 1;
}
