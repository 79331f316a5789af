// `npm run slow-clients -- --sockets N`: set up, then the slow clients.

import {runScript} from './project.mjs';
import {setUp} from './setup.mjs';

await runScript(async () => {
  Object.assign(process.env, setUp({needs: 'everything'}));
  await import('../dist/reliability/slow-clients/main.js');
});
