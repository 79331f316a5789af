// `npm run package`: builds, and packs what a start needs as millrace-VERSION.tgz. The package installs only the native HTTP
// server.

import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {pack, writePackedForm} from './packed-form.mjs';
import {projectRoot, runScript} from './project.mjs';
import {setUp} from './setup.mjs';

await runScript(async () => {
  await setUp({needsNatsServer: false});
  const folder = mkdtempSync(join(tmpdir(), 'millrace-package-'));
  try {
    await writePackedForm(join(folder, 'package'));
    console.log(basename(await pack(join(folder, 'package'), projectRoot)));
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
});
