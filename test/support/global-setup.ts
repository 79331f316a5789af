// Once per vitest run, also for `npx vitest run <file>`: compiled code for the integration tests, a nats-server, and a folder for stores.

import {rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {findNatsServer} from '../../scripts/nats-server.mjs';
import {BuildFault, setUp} from '../../scripts/setup.mjs';
import {memoryFolder} from './memory-folder.js';

/** Resolves with what to do after the last test. */
export default async function setUpOnce(): Promise<() => void> {
  try {
    await setUp({say: () => {}, needs: 'everything'});
  } catch (error) {
    if (!(error instanceof BuildFault)) throw error;
    // `npm test` refuses to go on here. A single file under work may: the compiler has written what it could.
    process.stderr.write(`${error.message}\n`);
  }
  const {path} = await findNatsServer();
  if (path !== undefined) process.env.NATS_SERVER_BIN = path;
  const folder = process.env.TMPDIR === undefined ? memoryFolder() : undefined;
  process.env.TEST_DISK_DIR = tmpdir();
  if (folder === undefined) return () => {};
  process.env.TMPDIR = folder;
  return () => rmSync(folder, {recursive: true, force: true});
}
