// The short form of `npm run mutants`: some seeded bugs, of which their suites must catch every one.
import {execFile} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {coreMutants} from '../../tools/mutants/catalogue.js';
import {shellMutants} from '../../tools/mutants/shell.js';
import {playsAll} from '../support/runs.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const mutants = [...coreMutants, ...shellMutants];

test('seeded bugs are caught', async () => {
  // A bug for the simulation takes two builds of the whole tree.
  const names = [...(playsAll ? ['no-producer-check', 'ack-before-publish'] : []), 'a-secret-key-in-a-url'];
  const program = `${root}dist/tools/mutants/main.js`;
  const {stdout} = await promisify(execFile)(process.execPath, [program, '--seeds', '5', ...names]);
  expect(stdout).toContain(`${names.length} of ${names.length} seeded bugs caught`);
});

test.each(mutants.map(({name, file, text}) => [name, file, text] as const))('%s finds its place', (_, file, text) => {
  expect(readFileSync(`${root}${file}`, 'utf8').split(text)).toHaveLength(2);
});

test('there are enough of them, and each has a name of its own', () => {
  expect(shellMutants.length).toBeGreaterThanOrEqual(40);
  expect(new Set(mutants.map(({name}) => name)).size).toBe(mutants.length);
});
