// A copy of the tree in a temporary folder, where a seeded bug is made and compiled, and the suite that must fail runs.
import {spawnSync} from 'node:child_process';
import {cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Mutant, Suite} from './catalogue.js';

const copied = [
  ...['actors', 'src', 'dashboard', 'kernels', 'packages', 'tools', 'test', 'dist'],
  ...['tsconfig.json', 'package.json'],
];
const suiteMsMax = 600_000;

/** vitest without the project's set-up: these suites need no build, and the nats-server of NATS_SERVER_BIN at most. */
const vitestConfig =
  "export default {test: {include: ['test/**/*.test.ts'], pool: 'threads', testTimeout: 120_000}};\n";

export interface SuiteRun {
  readonly passed: boolean;
  /** The end of its output. */
  readonly words: string;
}

export class TreeCopy {
  private readonly folder = mkdtempSync(join(tmpdir(), 'millrace-mutants-'));

  constructor(root: string) {
    for (const name of copied) cpSync(join(root, name), join(this.folder, name), {recursive: true});
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
    writeFileSync(join(this.folder, 'vitest.config.mjs'), vitestConfig);
  }

  /** Runs `work` while the bug is in the copy. */
  with<T>({name, file, text, replacement}: Mutant, work: () => T): T {
    const path = join(this.folder, file);
    const original = readFileSync(path, 'utf8');
    const occurrences = original.split(text).length - 1;
    if (occurrences !== 1) throw new Error(`${name}: its text stands in ${file} ${occurrences} times, not once`);
    writeFileSync(
      path,
      original.replace(text, () => replacement),
    );
    try {
      return work();
    } finally {
      writeFileSync(path, original);
    }
  }

  run(suite: Suite): SuiteRun {
    if ('vitest' in suite)
      return this.vitest([suite.vitest, ...(suite.only === undefined ? [] : ['--testNamePattern', suite.only])]);
    // Types may be wrong in a mutant; tsc writes the code all the same.
    this.node(['node_modules/typescript/bin/tsc', '-b']);
    return this.node(['dist/tools/sim/main.js', '--seeds', String(suite.sim), '--stop']);
  }

  /** Runs test files at once. Only a test that fails notices a bug: a run without tests throws. */
  vitest(words: readonly string[]): SuiteRun {
    const run = this.node(['node_modules/vitest/vitest.mjs', 'run', ...words]);
    if (run.passed || /^ *Tests +\d+ failed/m.test(run.words)) return run;
    throw new Error(`vitest run ${words.join(' ')} failed without a failed test:\n${run.words.slice(-2_000)}`);
  }

  /** A suite that does not end says nothing about a bug: it throws. */
  private node(args: readonly string[]): SuiteRun {
    const {status, stdout, stderr, error} = spawnSync(process.execPath, args, {
      cwd: this.folder,
      encoding: 'utf8',
      timeout: suiteMsMax,
      maxBuffer: 64 * 1024 * 1024,
      env: {...process.env, NO_COLOR: '1'},
    });
    if (error !== undefined) throw error;
    return {passed: status === 0, words: `${stdout}${stderr}`};
  }

  remove(): void {
    rmSync(this.folder, {recursive: true, force: true});
  }
}
