// `npm run package`: builds, and packs what a start needs as millrace-VERSION.tgz, which installs only the native HTTP server, and our
// own SDK as millrace-sdk-VERSION.tgz.

import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {pack, writePackedForm} from './packed-form.mjs';
import {inProject, projectRoot, runScript} from './project.mjs';
import {setUp} from './setup.mjs';

await runScript(async () => {
  await setUp({needsNatsServer: false});
  const folder = mkdtempSync(join(tmpdir(), 'millrace-package-'));
  try {
    await writePackedForm(join(folder, 'package'));
    for (const packed of [join(folder, 'package'), inProject('packages/sdk')])
      console.log(basename(await pack(packed, projectRoot)));
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
});
