// The tracked kernels are what their sources compile to, byte for byte: nobody needs the compiler to start.
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {inProject} from '../scripts/project.mjs';
import {compileKernel, kernelNames} from '../tools/run/kernels.mjs';
import {temporaryFolder} from './support/service.js';

test.each(kernelNames)('%s', (name) => {
  const folder = temporaryFolder();
  compileKernel(name, folder);
  const tracked = readFileSync(inProject('kernels', `${name}.wasm`));
  expect(readFileSync(join(folder, `${name}.wasm`)).equals(tracked), '`npm run kernels` compiles it').toBe(true);
});
