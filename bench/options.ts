// The command line of `npm run bench`, and what follows from it.

import {resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {canonical, type WorkloadOptions} from './workload/events.js';

export const usage = `Usage: npm run bench -- [ingest] [import] [options]

  ingest         single events and batches, interleaved with floors that discard the same bytes
  import         a million events through batches, and the time until every report counts them all
                 (default: both)

  --rounds N     rounds of ingest (default 3)
  --seconds S    seconds of each row in each round (default 5)
  --refresh S    REPORT_REFRESH_SECONDS of the service (default 10)
  --events N     events of the import (default 1000000)
  --results DIR  where the JSON goes (default bench/results)
  --profile DIR  write CPU profiles of the service's threads there (costs some 10 % of the rates)
  --small        a tiny form that takes seconds: shows that it works, measures nothing
`;

export interface BenchOptions {
  readonly benches: readonly BenchName[];
  readonly rounds: number;
  readonly seconds: number;
  readonly refreshSeconds: number;
  readonly singleConnections: number;
  readonly batchConnections: number;
  readonly batchEvents: number;
  /** The events that ingest sends over and over, as single requests and as batches. */
  readonly singleWorkload: WorkloadOptions;
  readonly batchWorkload: WorkloadOptions;
  readonly importWorkload: WorkloadOptions;
  /** MEMORY_CACHE_MIB of the services that import, one after the other. */
  readonly cachesMib: readonly number[];
  readonly resultsFolder: string | null;
  readonly profileFolder: string | null;
  readonly isSmall: boolean;
}

export const benchNames = ['ingest', 'import'] as const;
export type BenchName = (typeof benchNames)[number];

/** The message is a sentence for whoever typed the command. */
export class OptionFault extends Error {
  override name = 'OptionFault';
}

/** Null: help was asked for. */
export function readOptions(args: readonly string[]): BenchOptions | null {
  const {values, positionals} = parsed(args);
  if (values.help) return null;
  const unknown = positionals.filter((name) => !(benchNames as readonly string[]).includes(name));
  if (unknown.length > 0) throw new OptionFault(`There is no bench "${unknown[0]}".`);
  const isSmall = values.small;
  const sized = (eventCount: number): WorkloadOptions => ({...canonical, eventCount});
  return {
    benches: positionals.length === 0 ? benchNames : (positionals as BenchName[]),
    rounds: numberOf('--rounds', values.rounds, isSmall ? 1 : 3),
    seconds: numberOf('--seconds', values.seconds, isSmall ? 0.5 : 5),
    refreshSeconds: numberOf('--refresh', values.refresh, isSmall ? 1 : 10),
    singleConnections: isSmall ? 16 : 256,
    batchConnections: isSmall ? 2 : 12,
    batchEvents: 1_000,
    singleWorkload: sized(isSmall ? 500 : 20_000),
    batchWorkload: sized(isSmall ? 5_000 : 200_000),
    importWorkload: sized(numberOf('--events', values.events, isSmall ? 20_000 : 1_000_000)),
    cachesMib: isSmall ? [64] : [512, 64],
    resultsFolder: values.results ?? null,
    profileFolder: values.profile === undefined ? null : resolve(values.profile),
    isSmall,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        rounds: {type: 'string'},
        seconds: {type: 'string'},
        refresh: {type: 'string'},
        events: {type: 'string'},
        results: {type: 'string'},
        profile: {type: 'string'},
        small: {type: 'boolean', default: false},
        help: {type: 'boolean', short: 'h', default: false},
      },
    });
  } catch (error) {
    throw new OptionFault((error as Error).message, {cause: error});
  }
}

function numberOf(option: string, text: string | undefined, whenAbsent: number): number {
  if (text === undefined) return whenAbsent;
  const value = Number(text);
  if (!(value > 0)) throw new OptionFault(`${option} must be a number above 0, not "${text}".`);
  return value;
}
