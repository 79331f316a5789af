// The command line of `npm run names`.
import {parseArgs} from 'node:util';
import {commandLine} from '../../command-line.js';

const names = (...words: readonly string[]): string => commandLine('names', ...words);

export const usage = `Usage: ${names('list', '[--prefix TEXT]')}
       ${names('delete', 'NAME…')}

list      the names of events and how often they occurred, the most frequent first
delete    deletes all events of these names for ever, of all users, and the names; it cannot be undone
Works on the service that runs on DATA_DIR (default ./data).
`;

export type Command =
  | {readonly kind: 'help'}
  | {readonly kind: 'list'; readonly prefix: string | undefined}
  | {readonly kind: 'delete'; readonly names: readonly string[]};

/** The message is a sentence for the user of the command. */
export class CommandFault extends Error {}

export function readCommand(words: readonly string[]): Command {
  const {values, positionals} = parse(words);
  const [command, ...rest] = positionals;
  if (values.help || command === undefined) return {kind: 'help'};
  if (command === 'list') {
    if (rest.length > 0) throw new CommandFault('list takes --prefix TEXT, and no further words.');
    return {kind: 'list', prefix: values.prefix};
  }
  if (command !== 'delete') throw new CommandFault(`There is no command "${command}".`);
  if (values.prefix !== undefined) throw new CommandFault('--prefix is for list only: delete takes whole names.');
  if (rest.length === 0) throw new CommandFault('Say which names: delete NAME…');
  return {kind: 'delete', names: rest};
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {prefix: {type: 'string'}, help: {type: 'boolean', short: 'h', default: false}},
    });
  } catch (error) {
    throw new CommandFault((error as Error).message);
  }
}
