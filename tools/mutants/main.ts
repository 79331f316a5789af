// `npm run mutants [-- [--seeds N] core|shell|NAME…]`: checks the checkers. The suite of every seeded bug must catch it.
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {coreMutants, type Mutant, type Suite} from './catalogue.js';
import {type SuiteRun, TreeCopy} from './copy.js';
import {shellMutants} from './shell.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const groups: ReadonlyMap<string, readonly Mutant[]> = new Map([
  ['core', coreMutants],
  ['shell', shellMutants],
]);

/** Mutants of a group, or the one of this name. */
const called = (name: string): readonly Mutant[] =>
  groups.get(name) ?? [...groups.values()].flat().filter((mutant) => mutant.name === name);

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const nameOf = (suite: Suite): string =>
  'sim' in suite ? `sim, ${suite.sim} seeds` : [suite.vitest, suite.only].filter(Boolean).join(': ');

/** The line with the reason of the failure. */
function reasonOf({words}: SuiteRun): string {
  const lines = words.split('\n').map((line) => line.trim());
  const at = lines.findIndex((line) => line.includes('failed; to repeat it'));
  const reason = at >= 0 ? lines[at + 1] : lines.find((line) => /AssertionError|Error:/.test(line));
  return (reason ?? lines.filter(Boolean).at(-1) ?? '').slice(0, 140);
}

/** Runs the suites without a bug, those of vitest at once: a suite that fails then proves nothing. */
function checkSuites(copy: TreeCopy, suites: readonly Suite[]): boolean {
  const files = new Set(suites.flatMap((suite) => ('vitest' in suite ? [suite.vitest] : [])));
  const sims = new Map(suites.flatMap((suite) => ('sim' in suite ? [[nameOf(suite), suite] as const] : [])));
  const runs = [
    ...(files.size === 0 ? [] : [['a test file', () => copy.vitest([...files])] as const]),
    ...[...sims].map(([name, suite]) => [name, () => copy.run(suite)] as const),
  ];
  for (const [name, start] of runs) {
    const run = start();
    if (run.passed) continue;
    say(`without any bug, ${name} fails: ${reasonOf(run)}`);
    return false;
  }
  return true;
}

function main(): number {
  const {values, positionals: names} = parseArgs({allowPositionals: true, options: {seeds: {type: 'string'}}});
  const unknown = names.find((name) => called(name).length === 0);
  if (unknown !== undefined) {
    const listed = [...groups].flatMap(([group, mutants]) => [`${group}:`, ...mutants.map(({name}) => `  ${name}`)]);
    say(`there is no mutant "${unknown}"; there are:\n${listed.join('\n')}`);
    return 2;
  }
  const sized = (suite: Suite): Suite =>
    'sim' in suite && values.seeds !== undefined ? {sim: Number(values.seeds)} : suite;
  const chosen = (names.length === 0 ? [...groups.keys()] : names)
    .flatMap(called)
    .map((mutant) => ({...mutant, caughtBy: sized(mutant.caughtBy)}));
  const copy = new TreeCopy(root);
  try {
    const suites = chosen.map(({caughtBy}) => caughtBy);
    if (!checkSuites(copy, suites)) return 1;
    let survivors = 0;
    for (const mutant of chosen) {
      const run = copy.with(mutant, () => copy.run(mutant.caughtBy));
      if (run.passed) survivors += 1;
      const what = `${mutant.name} (${nameOf(mutant.caughtBy)})`;
      say(run.passed ? `SURVIVED ${what}` : `caught   ${what}: ${reasonOf(run)}`);
    }
    say(`${chosen.length - survivors} of ${chosen.length} seeded bugs caught`);
    return survivors === 0 ? 0 : 1;
  } finally {
    copy.remove();
  }
}

process.exitCode = main();
