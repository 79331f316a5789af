// `npm run keys`: creates, lists, limits and revokes API keys through the running service.
import {AdminClient, AdminFault} from './admin-client.js';
import {type Command, CommandFault, type KeyOptions, readCommand, usage} from './keys/command.js';

interface ListedKey {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly last4: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
  readonly options?: KeyOptions;
}

// The environment: this program reads it only here.
const dataDir = process.env.DATA_DIR || './data';

/** Runs a command; returns its output for stdout. */
async function run(command: Command): Promise<string> {
  switch (command.kind) {
    case 'help':
      return usage;
    case 'create': {
      const body = {kind: command.keyKind, name: command.name, options: command.options};
      const {id, key} = await AdminClient.of(dataDir).ask<{id: string; key: string}>('POST', '/admin/v1/keys', body);
      process.stderr.write(`This is key ${id}. Copy it now: it is not shown again.\n`);
      return `${key}\n`; // The key alone, for scripts.
    }
    case 'list': {
      const {keys} = await AdminClient.of(dataDir).ask<{keys: ListedKey[]}>('GET', '/admin/v1/keys');
      return listing(keys, command.isAll);
    }
    case 'options':
      await AdminClient.of(dataDir).ask('POST', `/admin/v1/key?id=${encodeURIComponent(command.id)}`, command.options);
      return `Key ${command.id} has these options now: ${optionWords(command.options) || 'none'}.\n`;
    case 'revoke':
      await AdminClient.of(dataDir).ask('DELETE', `/admin/v1/key?id=${encodeURIComponent(command.id)}`);
      return `Key ${command.id} is revoked.\n`;
  }
}

/** Revoked keys accumulate, as each import revokes one: they are listed only on request. */
function listing(keys: readonly ListedKey[], isAll: boolean): string {
  const shown = isAll ? keys : keys.filter((key) => key.revoked_at === null);
  const hidden = keys.length - shown.length;
  const rest = hidden === 0 ? '' : `${hidden} revoked ${hidden === 1 ? 'key is' : 'keys are'} listed with --all.\n`;
  return (shown.length === 0 ? 'There are no keys.\n' : table(shown)) + rest;
}

function table(keys: readonly ListedKey[]): string {
  const rows = keys.map((key) => [
    key.id,
    key.kind,
    key.name,
    `…${key.last4}`,
    key.created_at.slice(0, 10),
    key.last_used_at === null ? 'never' : key.last_used_at.slice(0, 16).replace('T', ' '),
    key.revoked_at === null ? 'active' : `revoked ${key.revoked_at.slice(0, 10)}`,
    optionWords(key.options ?? {}),
  ]);
  const titles = ['ID', 'KIND', 'NAME', 'KEY', 'CREATED', 'LAST USED (UTC)', 'STATE', 'OPTIONS'];
  const all = [titles, ...rows];
  const widths = titles.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  return all
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** Options as they are typed on the command line; empty without options. */
function optionWords({
  identify,
  origins = [],
  events_per_second_per_address: perAddress,
  names,
  web,
}: KeyOptions): string {
  return [
    ...(identify === false ? ['--no-identify'] : []),
    ...origins.map((origin) => `--origin ${origin}`),
    ...(perAddress === undefined ? [] : [`--events-per-second-per-address ${perAddress}`]),
    ...(names === undefined ? [] : [`--names ${names}`]),
    ...(web === undefined ? [] : [`--web ${web ? 'on' : 'off'}`]),
  ].join(' ');
}

try {
  process.stdout.write(await run(readCommand(process.argv.slice(2))));
} catch (error) {
  if (!(error instanceof CommandFault || error instanceof AdminFault)) throw error;
  process.stderr.write(`${error.message}\n${error instanceof CommandFault ? usage : ''}`);
  process.exitCode = 1;
}
