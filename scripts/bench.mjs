// `npm run bench`: set up, then the benchmarks.

import {runScript} from './project.mjs';
import {setUp} from './setup.mjs';

await runScript(async () => {
  Object.assign(process.env, setUp({needs: 'everything'}));
  await import('../dist/bench/main.js');
});
