// `npm test`: set up, then every check. Further arguments go to vitest: `npm test -- test/config.test.ts`.

import {runScript} from '../../scripts/project.mjs';
import {setUp} from '../../scripts/setup.mjs';
import {runVitest} from './vitest.mjs';

await runScript(async () => {
  const env = await setUp({needs: 'everything'});
  process.exitCode = await runVitest(process.argv.slice(2), env);
});
