// Our own SDK as npm publishes it: packed, and unpacked where a program would find it.
import {execFileSync} from 'node:child_process';
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {pack} from '../../scripts/packed-form.mjs';
import {temporaryFolder} from './service.js';

const source = fileURLToPath(new URL('../../packages/sdk', import.meta.url));

/** @returns the folder of the package, in a `node_modules`. */
export async function installSdk(): Promise<string> {
  const folder = temporaryFolder();
  const installed = join(folder, 'node_modules/@millrace/sdk');
  mkdirSync(installed, {recursive: true});
  execFileSync('tar', ['-xzf', await pack(source, folder), '-C', installed, '--strip-components=1']);
  return installed;
}
