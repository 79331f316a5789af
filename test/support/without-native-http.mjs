// Loaded into a service by `--import`: as on a machine for which uWebSockets.js has no binary.
import {register} from 'node:module';

const hooks = `export async function resolve(specifier, context, next) {
  if (specifier.startsWith('uWebSockets.js')) throw new Error(specifier + ' has no binary here');
  return next(specifier, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
