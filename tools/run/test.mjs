// `npm test`: set up, then the checks of every day. Further arguments go to vitest, which looks in all projects then:
// `npm test -- test/config.test.ts`. The projects are in vitest.config.ts.

import {runScript} from '../../scripts/project.mjs';
import {setUp} from '../../scripts/setup.mjs';
import {runVitest} from './vitest.mjs';

await runScript(async () => {
  const env = await setUp({needs: 'everything'});
  const words = process.argv.slice(2);
  const everyday = ['unit', 'cases', 'everyday'].map((name) => `--project=${name}`);
  process.exitCode = await runVitest(words.length === 0 ? everyday : words, env);
});
