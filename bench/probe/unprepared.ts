// Loaded into the service by `--import`: a start reads nothing ahead and asks itself no pages. The modules that do so are
// replaced by others of the same interface, in every thread.

import {register} from 'node:module';

const prepared = {
  '/src/partition/warm-up.js': 'export async function warmUp() {}',
  '/src/partition/rehearsal.js': 'export async function rehearse() { return 0; }',
};

const hook = `
const replaced = ${JSON.stringify(prepared)};
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const path = Object.keys(replaced).find((end) => found.url.endsWith(end));
  return path === undefined ? found : {url: 'data:text/javascript,' + replaced[path], shortCircuit: true};
}`;

register(`data:text/javascript,${encodeURIComponent(hook)}`);
