// `npm run test:pages`: set up, then every page of the dashboard in both themes, three widths and under two kinds of host.
// Pictures go to PAGES_DIR (by default a folder of the system's temporary files).

import {runScript} from './project.mjs';
import {setUp} from './setup.mjs';
import {runVitest} from './vitest-run.mjs';

await runScript(async () => {
  const env = await setUp({needs: 'everything'});
  const words = ['test/browser/dashboard/pages.test.ts', ...process.argv.slice(2)];
  process.exitCode = await runVitest(words, {...env, PAGES: 'all'});
});
