// Loaded into a service by `--import`: as on a machine for which uWebSockets.js has no binary.
import Module from 'node:module';

const resolve = Module._resolveFilename;
Module._resolveFilename = (name, ...others) => {
  if (name.startsWith('uWebSockets.js')) throw new Error(`${name} has no binary here`);
  return resolve.call(Module, name, ...others);
};
