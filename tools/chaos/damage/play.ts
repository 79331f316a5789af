// `npm run chaos -- damage --starts N --seed S`: a whole store is damaged in one place, and the service starts on it, N times.
//   Exit code 1 when a start hangs, gives a wrong number, or ends or halts without a line.
import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {removeFolder} from '../run-folder.js';
import {print} from '../summary.js';
import {turnsOf, wordsOf} from './injuries.js';
import {startDamaged} from './start.js';
import {fillStore} from './whole-store.js';

export const damageUsage = 'usage: npm run chaos -- damage [--starts N] [--seed S] [--patience N] [--keep]';
/** Longer than the server remembers message ids: the log is cut after that. */
const agedMs = 150_000;

interface DamageOptions {
  readonly starts: number;
  readonly seed: number;
  readonly patience: number;
  readonly keep: boolean;
}

function readDamageOptions(args: readonly string[]): DamageOptions | undefined {
  const options = {starts: 200, seed: 1, patience: 1, keep: false};
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === '--keep') options.keep = true;
    else if (word === '--starts' || word === '--seed' || word === '--patience') {
      const value = Number(args[++at]);
      if (!Number.isSafeInteger(value) || value < 1) return undefined;
      options[word.slice(2) as 'starts' | 'seed' | 'patience'] = value;
    } else return undefined;
  }
  return options;
}

/** @returns the exit code. */
export async function playDamage(args: readonly string[]): Promise<number> {
  const options = readDamageOptions(args);
  if (options === undefined) {
    process.stderr.write(`${damageUsage}\n`);
    return 2;
  }
  const {starts, seed, patience, keep} = options;
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(130)); // Its service ends with it.
  const folder = mkdtempSync(join(tmpdir(), 'millrace-chaos-damage-'));
  print(`chaos: damage, ${starts} starts, seed ${seed}, in ${folder}`);
  // Two ages: the log of a young store replaces its snapshots, that of an old one was cut.
  const stores = [await fillStore(join(folder, 'young')), await fillStore(join(folder, 'old'), {isOld: true, agedMs})];
  const counts = new Map<string, number>();
  let bad = 0;
  const turn = turnsOf(
    stores.map((store) => store.folder),
    seed,
  );
  for (let start = 0; start < starts; start++) {
    const {store: at, injury} = turn(start);
    const store = stores[at]!;
    const began = performance.now();
    const {outcome, faults, output, said} = await startDamaged(store, join(folder, 'damaged'), injury, patience);
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    const result = faults.length > 0 ? 'BROKEN' : outcome!;
    counts.set(result, (counts.get(result) ?? 0) + 1);
    const why = faults.length > 0 ? faults : said;
    print(
      `start ${start + 1}/${starts}, ${store === stores[0] ? 'young' : 'old'}: ${wordsOf(injury)}: ${result}, ${seconds} s${why.length > 0 ? `: ${why.join('; ')}` : ''}`,
    );
    if (faults.length > 0) {
      bad += 1;
      print(output.slice(0, 4_000));
    }
  }
  print(`${bad === 0 ? 'OK' : 'BROKEN'}: ${[...counts].map(([what, count]) => `${count} ${what}`).join(', ')}`);
  if (bad === 0 && !keep) await removeFolder(folder);
  else print(`kept: ${folder}`);
  return bad === 0 ? 0 : 1;
}
