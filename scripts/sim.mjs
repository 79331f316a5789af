// `npm run sim`: set up, then the simulation.

import {runScript} from './project.mjs';
import {setUp} from './setup.mjs';

await runScript(async () => {
  setUp({say: () => {}, needs: 'everything', needsNatsServer: false});
  await import('../dist/reliability/sim/main.js');
});
