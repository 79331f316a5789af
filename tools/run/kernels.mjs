// Compiles the WebAssembly kernels: kernels/NAME.ts (AssemblyScript) to kernels/NAME.wasm, which is tracked, so that a start
// needs no compiler. Kernels import the files in sub-folders. kernels/compiled.json records the sources, the compiler and its
// options; a test compares them, and compiles again with ALL_CASES=1.
// Run `npm run kernels` after a change of a source. Without the kernels the service does not start.

import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {kernelsList, noticeOf} from '../../scripts/notices.mjs';
import {hashOf, inProject, projectRoot, runScript} from '../../scripts/project.mjs';
import {setUp} from '../../scripts/setup.mjs';

// No allocator and no collector: kernels work in a memory that their host lays out.
const options = ['-O3', '--converge', '--noAssert', '--runtime', 'stub', '--importMemory', '--enable', 'simd'];
/** Names without their extension. */
export const kernelNames = readdirSync(inProject('kernels'))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.slice(0, -'.ts'.length));

/** Compiles into `folder`. @throws the compiler's message. */
export function compileKernel(name, folder) {
  const compiler = inProject('node_modules/assemblyscript/bin/asc.js');
  const target = join(folder, `${name}.wasm`);
  execFileSync(process.execPath, [compiler, join('kernels', `${name}.ts`), '-o', target, ...options], {
    cwd: projectRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The code without comments, which compile to nothing. */
const codeOf = (text) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '').replace(/\s+/g, ' ');

/** The compiler's library has functions that kernels call: `memory.compare` is compiled into one. */
export const compilerNotices = () => [noticeOf('node_modules/assemblyscript')];

export const compiledFile = inProject('kernels/compiled.json');

/** The record of the present kernels, and of their compiler. */
export function compiledRecord() {
  const sources = readdirSync(inProject('kernels'), {recursive: true, encoding: 'utf8'})
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => [name, codeOf(readFileSync(inProject('kernels', name), 'utf8'))]);
  const {version} = JSON.parse(readFileSync(inProject('node_modules/assemblyscript/package.json'), 'utf8'));
  const wasm = Object.fromEntries(kernelNames.map((name) => [name, hashOf([inProject('kernels', `${name}.wasm`)])]));
  return {
    compiler: version,
    options,
    sources: createHash('sha256').update(JSON.stringify(sources)).digest('hex'),
    wasm,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runScript(async () => {
    await setUp({needs: 'everything', needsNatsServer: false});
    for (const name of kernelNames) compileKernel(name, inProject('kernels'));
    const write = (file, value) => writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
    write(compiledFile, compiledRecord());
    write(inProject(kernelsList), compilerNotices());
  });
}
