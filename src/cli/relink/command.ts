// The command line of `npm run relink`.
import {parseArgs} from 'node:util';
import {commandLine} from '../../command-line.js';
import type {HistoryRange} from './history-pages.js';

/** The message is a sentence for the operator. */
export class ArgumentFault extends Error {}

export const usage = `${commandLine('relink')}
Joins events that were stored with a userId and an anonymousId while IDENTITY_JOIN was off. It works on the service that runs on
DATA_DIR, and reads its history; to run it again changes nothing.

  --check       stores nothing: counts the pairs of ids, and looks for events that count twice
  --from TIME   reads events from this timestamp on
  --to TIME     reads events up to this timestamp
`;

export interface RelinkArguments {
  readonly isCheck: boolean;
  readonly range: HistoryRange;
}

/** Null: the usage is requested. @throws ArgumentFault */
export function readArguments(words: readonly string[]): RelinkArguments | null {
  try {
    const {values} = parseArgs({
      args: [...words],
      options: {
        check: {type: 'boolean', default: false},
        from: {type: 'string'},
        to: {type: 'string'},
        help: {type: 'boolean', short: 'h', default: false},
      },
    });
    return values.help ? null : {isCheck: values.check, range: {from: values.from, to: values.to}};
  } catch (cause) {
    throw new ArgumentFault(`${(cause as Error).message}.`, {cause});
  }
}
