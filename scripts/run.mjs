// `node scripts/run.mjs cli/keys …`: runs dist/service/cli/keys.js with the rest of the words, after set-up.
// Quiet: the output belongs to the program.

import {pathToFileURL} from 'node:url';
import {inProject, runScript, SetupFault} from './project.mjs';
import {setUp} from './setup.mjs';

await runScript(async () => {
  const [name, ...words] = process.argv.slice(2);
  if (name === undefined || !/^[a-z0-9/-]+$/.test(name))
    throw new SetupFault('usage: node scripts/run.mjs <program> [words]');
  Object.assign(process.env, setUp({say: () => {}, needsNatsServer: name === 'cli/backup'}));
  const program = inProject('dist/service', `${name}.js`);
  process.argv = [process.argv[0], program, ...words];
  await import(pathToFileURL(program).href);
});
