// Sizes of our own SDK, as an application that bundles it has them, and its version.
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import {rolldown} from 'rolldown';
import {expect, test} from 'vitest';
import {version} from '../../packages/sdk/src/version.js';

const inProject = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

async function bundledBytes(entry: string): Promise<number> {
  const bundle = await rolldown({
    input: inProject(entry),
    platform: 'browser',
    resolve: {extensionAlias: {'.js': ['.ts', '.js']}},
  });
  const {output} = await bundle.generate({format: 'esm', minify: true});
  await bundle.close();
  return gzipSync(output[0].code, {level: 9}).length;
}

test('bundled, minified and gzipped it has at most 4 kB', async () => {
  const bytes = await bundledBytes('packages/sdk/src/millrace.ts');
  expect(bytes).toBeLessThanOrEqual(4_096);
  expect(bytes).toBeGreaterThan(2_000);
});

test('the script of a whole installation has a little more', async () => {
  expect(await bundledBytes('packages/sdk/src/script.ts')).toBeLessThanOrEqual(4_400);
});

test('it names its version, which is that of the service', () => {
  for (const path of ['package.json', 'packages/sdk/package.json', 'tools/package.json'])
    expect([path, JSON.parse(readFileSync(inProject(path), 'utf8'))]).toEqual([
      path,
      expect.objectContaining({version}),
    ]);
});
