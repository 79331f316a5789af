// `npm run test:erase`: set up, then the search for deleted users on disk.

import {runScript} from './project.mjs';
import {setUp} from './setup.mjs';

await runScript(async () => {
  Object.assign(process.env, setUp({needs: 'everything'}));
  await import('../dist/reliability/erase/main.js');
});
