// `npm test`: set up, then every check. More words go to vitest: `npm test -- test/config.test.ts`.

import {runScript} from './project.mjs';
import {setUp} from './setup.mjs';
import {runVitest} from './vitest-run.mjs';

await runScript(async () => {
  const env = await setUp({needs: 'everything'});
  process.exitCode = await runVitest(process.argv.slice(2), env);
});
