// Version of this program, from package.json, and the commit that it was built from (scripts/setup.mjs).
import {existsSync, readFileSync} from 'node:fs';

/** Searches upwards: compiled or not, this file is some folders below package.json. */
function findPackage(): URL {
  for (let folder = new URL('.', import.meta.url); ; folder = new URL('..', folder)) {
    const path = new URL('package.json', folder);
    if (existsSync(path)) return path;
    if (folder.pathname === '/') throw new Error('package.json is missing');
  }
}

/** package.json of the checkout, or of the package. */
export const packageFile = findPackage();

export const version = (JSON.parse(readFileSync(packageFile, 'utf8')) as {version: string}).version;

/** `unknown` for a build outside of a checkout. */
export const commit = readCommit(new URL('dist/.commit', packageFile));

/** Names this program in what it writes. */
export const program = `Millrace ${version} (commit ${commit})`;

function readCommit(stamp: URL): string {
  return existsSync(stamp) ? readFileSync(stamp, 'utf8').trim() : 'unknown';
}
