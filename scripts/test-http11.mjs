// `npm run test:http11`: set up, then hostile bytes on sockets, with the deadlines that the short form leaves out.

import {runScript} from './project.mjs';
import {setUp} from './setup.mjs';
import {runVitest} from './vitest-run.mjs';

await runScript(async () => {
  const env = await setUp({needs: 'everything'});
  process.exitCode = await runVitest(['test/http11', ...process.argv.slice(2)], {...env, HTTP11_DEADLINES: '1'});
});
