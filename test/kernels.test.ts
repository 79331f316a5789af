// The tracked kernels are what their sources compile to, byte for byte: a start needs no compiler.
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {inProject} from '../scripts/project.mjs';
import {compiledFile, compiledRecord, compileKernel, kernelNames} from '../tools/run/kernels.mjs';
import {playsAll} from './support/runs.js';
import {temporaryFolder} from './support/service.js';

test('the kernels were compiled after the last change of a source, and are what came out', () => {
  expect(JSON.parse(readFileSync(compiledFile, 'utf8')), '`npm run kernels` compiles them').toEqual(compiledRecord());
});

// 7 s of CPU each.
test.skipIf(!playsAll).each(kernelNames)('%s compiles to the same bytes', (name) => {
  const folder = temporaryFolder();
  compileKernel(name, folder);
  const tracked = readFileSync(inProject('kernels', `${name}.wasm`));
  expect(readFileSync(join(folder, `${name}.wasm`)).equals(tracked), '`npm run kernels` compiles it').toBe(true);
});
