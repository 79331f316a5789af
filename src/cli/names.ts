// `npm run names`: lists the names of events, and deletes all events of some of them (docs/api/events.md).
import {setTimeout as pause} from 'node:timers/promises';
import {AdminFault} from './admin-client.js';
import {count} from './import/progress.js';
import {findService, type ServiceAddress} from './import/service-address.js';
import {type Command, CommandFault, readCommand, usage} from './names/command.js';

const answerMsMax = 30_000;
const lookAgainMs = 1_000;
/** A deletion goes through all partitions, and each of them cleans its disk. */
const looksMax = 600;

interface Receipt {
  readonly id: string;
  readonly status: 'pending' | 'completed';
  readonly events_deleted: number | null;
  readonly verified: readonly string[] | null;
}

interface NamesPage {
  readonly data: readonly {readonly name: string; readonly count: number}[];
  readonly next_cursor: string | null;
}

// The environment: this program reads it only here.
const dataDir = process.env.DATA_DIR || './data';

async function run(command: Command): Promise<void> {
  if (command.kind === 'help') return say(usage);
  const keyKind = command.kind === 'list' ? 'read' : 'secret';
  const service = await findService({url: null, key: null, dataDir, keyName: 'names', keyKind});
  try {
    if (command.kind === 'list') await list(service, command.prefix);
    else for (const name of command.names) await deleteName(service, name);
  } finally {
    await service.release();
  }
}

async function list(service: ServiceAddress, prefix: string | undefined): Promise<void> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const asked = new URLSearchParams({
      from: '1970-01-01',
      limit: '1000',
      ...(prefix && {prefix}),
      ...(cursor && {cursor}),
    });
    const page: NamesPage = await ask<NamesPage>(service, 'GET', `/v1/names?${asked}`);
    for (const {name, count: events} of page.data) say(`${String(events).padStart(12)}  ${name}\n`);
    cursor = page.next_cursor;
  }
}

async function deleteName(service: ServiceAddress, name: string): Promise<void> {
  const path = `/v1/name?${new URLSearchParams({event: name})}`;
  let {deletion} = await ask<{deletion: Receipt}>(service, 'DELETE', path);
  for (let looks = 0; deletion.status === 'pending' && looks < looksMax; looks++) {
    await pause(lookAgainMs);
    ({deletion} = await ask<{deletion: Receipt}>(service, 'GET', `/v1/deletion?id=${deletion.id}`));
  }
  if (deletion.status === 'pending')
    throw new AdminFault(
      `${deletion.id} is pending: it goes on, and GET /v1/deletion?id=${deletion.id} says how far it is.`,
    );
  say(`${name}: ${count(deletion.events_deleted ?? 0)} events are deleted (${deletion.id})\n`);
  for (const line of deletion.verified ?? []) say(`  ${line}\n`);
}

async function ask<Answer>({baseUrl, key}: ServiceAddress, method: 'GET' | 'DELETE', path: string): Promise<Answer> {
  const answer = await fetch(baseUrl + path, {
    method,
    headers: {authorization: `Bearer ${key}`},
    signal: AbortSignal.timeout(answerMsMax),
  });
  const value = (await answer.json()) as Answer & {error?: {message: string}};
  if (!answer.ok)
    throw new AdminFault(`The service refused (${answer.status}): ${value.error?.message ?? answer.statusText}.`);
  return value;
}

const say = (text: string): void => void process.stdout.write(text);

try {
  await run(readCommand(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof CommandFault || error instanceof AdminFault)) throw error;
  process.stderr.write(`${error.message}\n${error instanceof CommandFault ? usage : ''}`);
  process.exitCode = 1;
}
