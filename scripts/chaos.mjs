// `npm run chaos -- NEMESIS --rounds N --seed S`: set up, then the chaos tool.

import {runScript} from './project.mjs';
import {setUp} from './setup.mjs';

await runScript(async () => {
  Object.assign(process.env, setUp({needs: 'everything'}));
  await import('../dist/reliability/chaos/main.js');
});
