// The words of `npm run keys`, as data.
import {parseArgs} from 'node:util';

export const usage = `Usage: npm run keys -- create --kind write|secret --name NAME
       npm run keys -- list [--all]
       npm run keys -- revoke ID

Works on the service that runs on DATA_DIR (default ./data).
A write key (sk_write_) may track events and identify; a secret key (sk_live_) may do everything
but manage keys.
A key is shown once, when it is created. Revoked keys are listed with --all.
Rotation: create a new key, switch over, see that the new one is used (list), revoke the old one.
`;

export type Command =
  | {readonly kind: 'help'}
  | {readonly kind: 'list'; readonly isAll: boolean}
  | {readonly kind: 'create'; readonly keyKind: 'write' | 'secret'; readonly name: string}
  | {readonly kind: 'revoke'; readonly id: string};

/** The message is a sentence for whoever typed the command. */
export class CommandFault extends Error {}

export function readCommand(words: readonly string[]): Command {
  const {values, positionals} = parse(words);
  const [command, id, ...rest] = positionals;
  if (values.help || command === undefined) return {kind: 'help'};
  if (values.all && command !== 'list') throw new CommandFault('--all belongs to list.');
  if (rest.length > 0 || (id !== undefined && command !== 'revoke'))
    throw new CommandFault(
      'There are too many words. Options of npm run keys stand behind --, as in the lines of --help.',
    );
  switch (command) {
    case 'list':
      return {kind: 'list', isAll: values.all};
    case 'create': {
      const {kind, name} = values;
      if (kind !== 'write' && kind !== 'secret') throw new CommandFault('Say --kind write or --kind secret.');
      if (name === undefined || name === '') throw new CommandFault('Say what the key is for: --name NAME.');
      return {kind: 'create', keyKind: kind, name};
    }
    case 'revoke':
      if (id === undefined) throw new CommandFault('Say which key: revoke ID (see list).');
      return {kind: 'revoke', id};
    default:
      throw new CommandFault(`There is no command "${command}".`);
  }
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        kind: {type: 'string'},
        name: {type: 'string'},
        all: {type: 'boolean', default: false},
        help: {type: 'boolean', short: 'h', default: false},
      },
    });
  } catch (error) {
    throw new CommandFault((error as Error).message);
  }
}
