// `npm run demo`: set up, then a service with a shop in it.

import {runScript} from './project.mjs';
import {setUp} from './setup.mjs';

await runScript(async () => {
  Object.assign(process.env, setUp());
  await import('../dist/service/demo.js');
});
