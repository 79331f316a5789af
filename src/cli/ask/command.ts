// The command line of `millrace ask`: a question in words of a shell.
import {parseArgs} from 'node:util';
import {commandLine} from '../../command-line.js';

const ask = (...words: readonly string[]): string => commandLine('ask', ...words);

export const usage = `Usage: ${ask('[EVENT…]', '[--by PROPERTY]', '[--last 30d]', '…')}

EVENT…            how often these events happened; none: events of every name
--users           how many people did them
--funnel          the events as steps: who goes from one to the next
--by PROPERTY     a row for each value of a property; trait:NAME for a trait of the people
--where TEXT      only events that meet the condition: "plan eq pro", "amount>10"; any number of times
--last 30d        the days that count: 30d, 12mo, today, "this month", "last week"; default 30d
--from, --to      the same as dates
--interval day    hour, day, week, month, quarter or year
--json            the answer of POST /v1/query as it is, for scripts
--url URL         the service; default: MILLRACE_URL, or the one that runs on DATA_DIR (default ./data)
The read key is in MILLRACE_KEY. For the service on DATA_DIR none is needed: a temporary one is made.
`;

export type Command =
  | {readonly kind: 'help'}
  | {
      readonly kind: 'ask';
      readonly question: AskedQuestion;
      readonly isJson: boolean;
      readonly url: string | undefined;
    };

/** As POST /v1/query takes it, which says what is wrong in it. */
export type AskedQuestion = {readonly report: 'counts' | 'funnel'} & Readonly<Record<string, unknown>>;

/** The message is a sentence for the user of the command. */
export class CommandFault extends Error {}

export function readCommand(words: readonly string[]): Command {
  const {values, positionals: events} = parse(words);
  if (values.help) return {kind: 'help'};
  const {json: isJson, url} = values;
  return {kind: 'ask', question: questionOf(events, values), isJson, url};
}

type Values = ReturnType<typeof parse>['values'];

function questionOf(events: readonly string[], values: Values): AskedQuestion {
  const {users, funnel, by, where, interval} = values;
  if (funnel && events.length < 2) throw new CommandFault('--funnel needs at least two events, its steps.');
  if (funnel && users) throw new CommandFault('--users is for counts: a funnel counts people anyway.');
  const shared = {
    range: rangeOf(values),
    ...(where.length > 0 && {where}),
    ...(interval !== undefined && {interval}),
    ...(by !== undefined && {
      breakdown: [by.startsWith('trait:') ? {trait: by.slice('trait:'.length)} : {property: by}],
    }),
  };
  const named = events.map((event) => ({event}));
  if (funnel) return {report: 'funnel', steps: named, ...shared};
  return {
    report: 'counts',
    ...(named.length > 0 && {events: named}),
    ...shared,
    ...(users && {measure: {of: 'users'}}),
  };
}

function rangeOf({last, from, to}: Values): unknown {
  if (from === undefined && to === undefined) return /^\d/.test(last ?? '30d') ? `-${last ?? '30d'}` : last;
  if (last !== undefined) throw new CommandFault('--last and --from, --to are two ranges: give one.');
  if (from === undefined || to === undefined) throw new CommandFault('--from and --to belong together.');
  return {from, to};
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        users: {type: 'boolean', default: false},
        funnel: {type: 'boolean', default: false},
        by: {type: 'string'},
        where: {type: 'string', multiple: true, default: []},
        last: {type: 'string'},
        from: {type: 'string'},
        to: {type: 'string'},
        interval: {type: 'string'},
        json: {type: 'boolean', default: false},
        url: {type: 'string'},
        help: {type: 'boolean', short: 'h', default: false},
      },
    });
  } catch (error) {
    throw new CommandFault((error as Error).message);
  }
}
