// Builds packages/sdk: the script that the service serves as /sdk.js, to dist/sdk.js, and the form that npm publishes, to
// packages/sdk/dist. Types are not checked here.

import {mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {rolldown} from 'rolldown';
import {isolatedDeclarationSync} from 'rolldown/experimental';
import {inProject, SetupFault} from './project.mjs';

const sources = inProject('packages/sdk/src');
const published = inProject('packages/sdk/dist');
/** The script is no part of the package: it starts itself. */
const entries = {millrace: 'millrace.ts', node: 'node.ts'};

const common = {
  resolve: {extensionAlias: {'.js': ['.ts', '.js']}},
  logLevel: 'warn',
};

/** One script for pages, without a name beside `millrace`. */
async function writeScript() {
  const build = await rolldown({...common, input: join(sources, 'script.ts'), platform: 'browser'});
  mkdirSync(inProject('dist'), {recursive: true});
  await build.write({file: inProject('dist/sdk.js'), format: 'iife', minify: true});
  await build.close();
}

async function writePackage() {
  rmSync(published, {recursive: true, force: true});
  const input = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(sources, file)]));
  const build = await rolldown({...common, input, platform: 'neutral', external: /^node:/});
  await build.write({dir: published, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'shared.js'});
  await build.close();
  for (const file of readdirSync(sources).filter((name) => name.endsWith('.ts') && name !== 'script.ts')) {
    const {code, errors} = isolatedDeclarationSync(file, readFileSync(join(sources, file), 'utf8'));
    if (errors.length > 0) throw new SetupFault(`${file}: ${errors[0].message}`);
    writeFileSync(join(published, file.replace(/\.ts$/, '.d.ts')), code);
  }
}

await writeScript();
await writePackage();
