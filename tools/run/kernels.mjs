// Compiles the WebAssembly kernels: kernels/NAME.ts (AssemblyScript) to kernels/NAME.wasm, which is tracked, so that a start
// needs no compiler; a test compiles them again and compares. What stands in folders below is taken in by them.
// `npm run kernels` after a change of a source. Without them the service runs on their plain twins: all the same, but slower.

import {execFileSync} from 'node:child_process';
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {inProject, projectRoot, runScript} from '../../scripts/project.mjs';
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runScript(async () => {
    await setUp({needs: 'everything', needsNatsServer: false});
    for (const name of kernelNames) compileKernel(name, inProject('kernels'));
  });
}
