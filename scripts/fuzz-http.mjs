// `npm run fuzz:http -- --n N --seed S`: set up, then the fuzzer.

import {runScript} from './project.mjs';
import {setUp} from './setup.mjs';

await runScript(async () => {
  Object.assign(process.env, setUp({needs: 'everything'}));
  await import('../dist/reliability/fuzz/main.js');
});
