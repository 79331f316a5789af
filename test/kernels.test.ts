// The tracked kernels are what their sources compile to, byte for byte: a start needs no compiler. What they repeat of the
// core, as they cannot import it, is equal.
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {flagWhole, keyInBody} from '../actors/chunk/bodies.js';
import {codeInBody} from '../actors/chunk/property-columns.js';
import {entryHeadBytes, entryKind, eventFlag, payloadHeadBytes, valueTag} from '../actors/log/entries.js';
import {ranksPerMs} from '../actors/report/funnel/event-key.js';
import {kernelsList} from '../scripts/notices.mjs';
import {inProject} from '../scripts/project.mjs';
import {compiledFile, compiledRecord, compileKernel, compilerNotices, kernelNames} from '../tools/run/kernels.mjs';
import {playsAll} from './support/runs.js';
import {temporaryFolder} from './support/service.js';

test('the kernels were compiled after the last change of a source, and are what came out', () => {
  expect(JSON.parse(readFileSync(compiledFile, 'utf8')), '`npm run kernels` compiles them').toEqual(compiledRecord());
  const notices = JSON.parse(readFileSync(inProject(kernelsList), 'utf8')) as unknown;
  expect(notices, '`npm run kernels` writes the notices of the compiler').toEqual(compilerNotices());
});

/** Numbers that a source of a kernel declares as constants. */
function constantsOf(file: string): Readonly<Record<string, number>> {
  const declared = readFileSync(inProject('kernels', file), 'utf8').matchAll(
    /^(?:export )?const (\w+): \w+ = ([\w.]+);$/gm,
  );
  return Object.fromEntries([...declared].map(([, name, value]) => [name!, Number(value)]));
}

test('the layout of entries, rows and bodies is that of the core', () => {
  const named = (prefix: string, values: Readonly<Record<string, number>>) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [`${prefix}${name[0]!.toUpperCase()}${name.slice(1)}`, value]),
    );
  expect(constantsOf('shared/entry-format.ts')).toEqual({
    kindEvent: entryKind.event,
    ...named('flag', {...eventFlag, whole: flagWhole}),
    ...named('tag', valueTag),
    codeInBody,
    keyInBody,
    headBytes: entryHeadBytes,
    payloadHeadBytes,
  });
});

test('keys of events have as many ranks in the kernel as in the core', () => {
  expect(constantsOf('funnel-progress.ts')).toMatchObject({ranksPerMs});
});

// 7 s of CPU each.
test.skipIf(!playsAll).each(kernelNames)('%s compiles to the same bytes', (name) => {
  const folder = temporaryFolder();
  compileKernel(name, folder);
  const tracked = readFileSync(inProject('kernels', `${name}.wasm`));
  expect(readFileSync(join(folder, `${name}.wasm`)).equals(tracked), '`npm run kernels` compiles it').toBe(true);
});
