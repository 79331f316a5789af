// The command line of `npm run keys`, as data.

import {parseArgs} from 'node:util';
import {commandLine} from '../../command-line.js';

const keys = (...words: readonly string[]): string => commandLine('keys', ...words);

export const usage = `Usage: ${keys('create', '--kind write|read|secret --name NAME [OPTION…]')}
       ${keys('list', '[--all]')}
       ${keys('options', 'ID OPTION…|--none')}
       ${keys('revoke', 'ID')}

Options of a write key, which anybody can read in a page or an app:
  --no-identify                        may track events, but not set traits or join ids
  --origin https://example.com         only pages of this origin may use it (repeat for more)
  --events-per-second-per-address N    limit per client address
  --names known                        its events may only have names that exist
  --web on                             its events come from pages: their context is completed (off: it is not; else if it has origins)
"options" replaces all: options that are not named are removed, and --none removes all.

Works on the service that runs on DATA_DIR (default ./data).
A write key (sk_write_) may track events and identify users; a read key (sk_read_) may read reports, events
and users; a secret key (sk_live_) may do everything except manage keys.
A key is shown once, when it is created. Revoked keys are listed with --all.
To rotate: create a new key, switch clients over, wait until "list" shows no use of the old key, revoke it.
`;

/** Options as the admin routes take them. */
export interface KeyOptions {
  readonly identify?: false;
  readonly origins?: readonly string[];
  readonly events_per_second_per_address?: number;
  readonly names?: 'known';
  readonly web?: boolean;
}

export type Command =
  | {readonly kind: 'help'}
  | {readonly kind: 'list'; readonly isAll: boolean}
  | {
      readonly kind: 'create';
      readonly keyKind: 'write' | 'read' | 'secret';
      readonly name: string;
      readonly options?: KeyOptions;
    }
  | {readonly kind: 'options'; readonly id: string; readonly options: KeyOptions}
  | {readonly kind: 'revoke'; readonly id: string};

/** The message is a sentence for the user of the command. */
export class CommandFault extends Error {}

export function readCommand(words: readonly string[]): Command {
  const {values, positionals} = parse(words);
  const [command, id, ...rest] = positionals;
  if (values.help || command === undefined) return {kind: 'help'};
  if (values.all && command !== 'list') throw new CommandFault('--all is for list only.');
  const options = readOptions(values);
  if (options !== undefined && command !== 'create' && command !== 'options')
    throw new CommandFault('Options are for create and options only.');
  if (values.none && command !== 'options') throw new CommandFault('--none is for options only.');
  if (rest.length > 0 || (id !== undefined && command !== 'revoke' && command !== 'options'))
    throw new CommandFault(`Too many words: ${keys('--help')} shows where options go.`);
  switch (command) {
    case 'list':
      return {kind: 'list', isAll: values.all};
    case 'create': {
      const {kind, name} = values;
      if (kind !== 'write' && kind !== 'read' && kind !== 'secret')
        throw new CommandFault('Say --kind write, --kind read or --kind secret.');
      if (name === undefined || name === '') throw new CommandFault('Say what the key is for: --name NAME.');
      return {kind: 'create', keyKind: kind, name, ...(options && {options})};
    }
    case 'options':
      if (id === undefined) throw new CommandFault('Say which key: options ID (see list).');
      if (values.none === (options !== undefined)) throw new CommandFault('Say which options the key has, or --none.');
      return {kind: 'options', id, options: options ?? {}};
    case 'revoke':
      if (id === undefined) throw new CommandFault('Say which key: revoke ID (see list).');
      return {kind: 'revoke', id};
    default:
      throw new CommandFault(`There is no command "${command}".`);
  }
}

/** Options of the command line; undefined without any. */
function readOptions(values: ReturnType<typeof parse>['values']): KeyOptions | undefined {
  const {'no-identify': noIdentify, origin: origins, 'events-per-second-per-address': perAddress, names, web} = values;
  if (!noIdentify && [origins, perAddress, names, web].every((one) => one === undefined)) return undefined;
  if (web !== undefined && web !== 'on' && web !== 'off') throw new CommandFault('--web takes the word on or off.');
  if (names !== undefined && names !== 'known') throw new CommandFault('--names takes the word known.');
  if (perAddress !== undefined && !/^\d{1,9}$/.test(perAddress))
    throw new CommandFault('--events-per-second-per-address takes a whole number.');
  return {
    ...(noIdentify && {identify: false}),
    ...(origins && {origins}),
    ...(perAddress !== undefined && {events_per_second_per_address: Number(perAddress)}),
    ...(names !== undefined && {names}),
    ...(web !== undefined && {web: web === 'on'}),
  };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        kind: {type: 'string'},
        name: {type: 'string'},
        'no-identify': {type: 'boolean', default: false},
        origin: {type: 'string', multiple: true},
        'events-per-second-per-address': {type: 'string'},
        names: {type: 'string'},
        web: {type: 'string'},
        none: {type: 'boolean', default: false},
        all: {type: 'boolean', default: false},
        help: {type: 'boolean', short: 'h', default: false},
      },
    });
  } catch (error) {
    throw new CommandFault((error as Error).message);
  }
}
