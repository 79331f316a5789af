// `npm run rolling -- --restarts N [--kill]`: set up, then restarts under clients that retry.

import {runScript} from './project.mjs';
import {setUp} from './setup.mjs';

await runScript(async () => {
  Object.assign(process.env, setUp({needs: 'everything'}));
  await import('../dist/reliability/rolling/main.js');
});
