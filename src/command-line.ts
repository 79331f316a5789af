// The commands of Millrace as an operator types them.
import {existsSync} from 'node:fs';
import {packageFile} from './version.js';

/** Whether this is a checkout, which has npm scripts; an installed package has the program `millrace`. */
const isCheckout = existsSync(new URL('scripts/run.mjs', packageFile));

/** `commandLine('keys', 'list')`: `npm run keys -- list` in a checkout, `millrace keys list` with the package. */
export function commandLine(name: string, ...words: readonly string[]): string {
  if (!isCheckout) return ['millrace', name, ...words].join(' ');
  const script = name === 'serve' ? 'npm start' : `npm run ${name}`;
  return words.length === 0 ? script : [script, '--', ...words].join(' ');
}
