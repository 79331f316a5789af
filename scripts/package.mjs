// `npm run package`: builds, and packs the files of a start as millrace-VERSION.tgz. The package installs only the native HTTP
// server.

import {spawnSync} from 'node:child_process';
import {projectRoot, runScript, SetupFault} from './project.mjs';
import {setUp} from './setup.mjs';

await runScript(async () => {
  await setUp({needsNatsServer: false});
  const {status} = spawnSync('npm', ['pack', '--ignore-scripts'], {
    cwd: projectRoot,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new SetupFault('npm pack failed');
});
