// `npm run mutants`: set up, then seeded bugs in a copy of the tree, each shown to the suite that must catch it.

import {runScript} from './project.mjs';
import {setUp} from './setup.mjs';

await runScript(async () => {
  setUp({say: () => {}, needs: 'everything', needsNatsServer: false});
  await import('../dist/reliability/mutants/main.js');
});
