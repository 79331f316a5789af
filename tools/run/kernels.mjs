// Compiles the WebAssembly kernels: kernels/NAME.ts (AssemblyScript) to kernels/NAME.wasm, which is tracked, so that a start
// needs no compiler. What is in folders below is taken in by them. kernels/compiled.json says of which sources, by which
// compiler and with which options they are; a test compares, and with ALL_CASES=1 compiles them again.
// `npm run kernels` after a change of a source. Without them the service does not start.

import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {hashOf, inProject, projectRoot, runScript} from '../../scripts/project.mjs';
import {setUp} from '../../scripts/setup.mjs';

// No allocator and no collector: kernels work in a memory that their host lays out.
const options = ['-O3', '--converge', '--noAssert', '--runtime', 'stub', '--importMemory', '--enable', 'simd'];
/** Without the ending. */
export const kernelNames = readdirSync(inProject('kernels'))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.slice(0, -'.ts'.length));

/** Into `folder`. @throws what the compiler says. */
export function compileKernel(name, folder) {
  const compiler = inProject('node_modules/assemblyscript/bin/asc.js');
  const target = join(folder, `${name}.wasm`);
  execFileSync(process.execPath, [compiler, join('kernels', `${name}.ts`), '-o', target, ...options], {
    cwd: projectRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Without comments, which compile to nothing. */
const codeOf = (text) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '').replace(/\s+/g, ' ');

export const compiledFile = inProject('kernels/compiled.json');

/** Of the kernels as they are now, and of what compiles them. */
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
    writeFileSync(compiledFile, `${JSON.stringify(compiledRecord(), undefined, 2)}\n`);
  });
}
