// `npm run chaos -- NEMESIS --rounds N --seed S`: real processes, and a journal of what the service must have.
//   Exit code 1 on a broken invariant, 2 on an invalid command line, 3 when the machine does not permit it.

import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {damageUsage, playDamage} from './damage/play.js';
import {nemeses} from './nemeses/catalogue.js';
import {NotPermitted} from './nemesis.js';
import {type Options, readOptions, usage} from './options.js';
import {type RoundResult, Run} from './run.js';
import {print, Summary} from './summary.js';

const names = Object.keys(nemeses);
const args = process.argv.slice(2);
if (args[0] === 'damage') process.exitCode = await playDamage(args.slice(1));
else {
  const options = readOptions(args, names);
  if (options === undefined) {
    process.stderr.write(`${usage(names)}\n${damageUsage}\n`);
    process.exit(2);
  }
  process.exitCode = await play(options);
}

async function play(options: Options): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), `millrace-chaos-${options.nemesis}-`));
  print(`chaos: ${options.nemesis}, ${options.rounds} rounds, seed ${options.seed}, journal and logs in ${folder}`);
  const nemesis = nemeses[options.nemesis]!();
  let run: Run;
  try {
    run = await Run.begin(nemesis, folder, options);
  } catch (error) {
    if (!(error instanceof NotPermitted)) throw error;
    print(`SKIPPED: ${options.nemesis} is not permitted here: ${error.message}`);
    return 3;
  }
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => void run.end().then(() => process.exit(130)));
  const summary = new Summary(options);
  try {
    await playRounds(run, options.rounds, summary);
  } catch (error) {
    // A missed deadline is a finding like any other.
    summary.add([{invariant: 'recovery', detail: (error as Error).message}]);
  }
  const end = await run.end();
  // After a finding a bad end is not reported: the service may be down.
  if (summary.isClean) summary.add(end);
  summary.setAccount(run.account());
  for (const line of summary.accountLines()) print(line);
  print(summary.line());
  print(summary.json());
  if (summary.isClean && !options.keep) await run.removeData();
  else print(`kept: ${folder}`);
  return summary.isClean ? 0 : 1;
}

async function playRounds(run: Run, rounds: number, summary: Summary): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const result = await run.round(round);
    summary.addRound(result);
    print(roundLine(result, rounds));
    // A broken invariant stays broken: later rounds would only repeat it.
    if (result.broken.length > 0) return;
  }
  summary.add(await run.conclude(rounds));
}

function roundLine(result: RoundResult, rounds: number): string {
  const {round, events, sends, unknown, readyMs, firstSuccessMs, playedMs, comparedMs, broken} = result;
  const state =
    broken.length === 0 ? 'ok' : `BROKEN ${[...new Set(broken.map(({invariant}) => invariant))].join(', ')}`;
  const times = `ready after ${Math.round(readyMs)} ms, first 2xx after ${Math.round(firstSuccessMs)} ms, played ${seconds(playedMs)}, compared ${seconds(comparedMs)}`;
  return `round ${round}/${rounds}: ${events} events, ${sends} sends, ${unknown} unknown, ${times}: ${state}`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
