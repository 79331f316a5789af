// `node scripts/run.mjs NAME [words]`: sets up what the program needs, and runs it in this process with these arguments.

import {pathToFileURL} from 'node:url';
import {inProject, runScript, SetupFault} from './project.mjs';
import {setUp} from './setup.mjs';

const quiet = () => {};
/** Programs of the service: set-up prints nothing, because the output is theirs. */
const ofService = {say: quiet, needsNatsServer: false};
const programs = {
  dashboard: ['service/cli/dashboard', ofService],
  keys: ['service/cli/keys', ofService],
  export: ['service/cli/export', ofService],
  names: ['service/cli/names', ofService],
  ask: ['service/cli/ask', ofService],
  retention: ['service/cli/retention', ofService],
  import: ['service/cli/import', ofService],
  relink: ['service/cli/relink', ofService],
  repartition: ['service/cli/repartition', {say: quiet}],
  backup: ['service/cli/backup', {say: quiet}],
  cluster: ['service/cli/cluster', ofService],
  demo: ['service/demo', {}],
  bench: ['bench/main', {needs: 'everything'}],
  chaos: ['tools/chaos/main', {needs: 'everything'}],
  'fuzz-http': ['tools/fuzz/main', {needs: 'everything'}],
  sim: ['tools/sim/main', {say: quiet, needs: 'everything', needsNatsServer: false}],
  mutants: ['tools/mutants/main', {say: quiet, needs: 'everything'}],
};

await runScript(async () => {
  const [name, ...words] = process.argv.slice(2);
  if (!Object.hasOwn(programs, name))
    throw new SetupFault(`usage: node scripts/run.mjs ${Object.keys(programs).join('|')}`);
  const [path, needs] = programs[name];
  Object.assign(process.env, await setUp(needs));
  const program = inProject('dist', `${path}.js`);
  process.argv = [process.argv[0], program, ...words];
  await import(pathToFileURL(program).href);
});
