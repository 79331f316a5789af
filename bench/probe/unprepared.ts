// Loaded into the service by `--import`: a start reads nothing ahead and asks itself no pages. The modules that do so are
// replaced by others of the same interface, in every thread. Throws when they are not where they were, or not what they were.

import {readFileSync} from 'node:fs';
import {register} from 'node:module';

const prepared = {
  '/src/partition/reads/warm-up.js': 'export async function warmUp() {}',
  '/src/partition/reads/rehearsal.js': 'export async function rehearse() { return 0; }',
};

for (const [path, stub] of Object.entries(prepared)) {
  const name = /function \w+/.exec(stub)![0];
  const source = readFileSync(new URL(`../..${path}`, import.meta.url), 'utf8');
  if (!source.includes(`export async ${name}(`)) throw new Error(`${path} has no ${name} to be replaced`);
}

const hook = `
const replaced = ${JSON.stringify(prepared)};
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const path = Object.keys(replaced).find((end) => found.url.endsWith(end));
  return path === undefined ? found : {url: 'data:text/javascript,' + replaced[path], shortCircuit: true};
}`;

register(`data:text/javascript,${encodeURIComponent(hook)}`);
