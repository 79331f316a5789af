// Compiles the WebAssembly kernels: kernels/NAME.ts (AssemblyScript) to dist/kernels/NAME.wasm. What stands in folders below
// is taken in by them.
// `node scripts/kernels.mjs` does this alone; the set-up does it with every build. Without them the service runs on their
// plain twins: all the same, but slower.

import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join, sep} from 'node:path';
import {fileURLToPath} from 'node:url';
import {hashOf, inProject, projectRoot} from './project.mjs';

const compiler = inProject('node_modules/assemblyscript/bin/asc.js');
// No allocator and no collector: kernels work in a memory that their host lays out.
const options = ['-O3', '--converge', '--noAssert', '--runtime', 'stub', '--importMemory', '--enable', 'simd'];
/** Two threads walk over postings: their memory is shared, and a shared one says how large it may be. */
const optionsOf = {'funnel-steps.ts': ['--enable', 'threads', '--sharedMemory', '--maximumMemory', '65536']};
const builtStamp = inProject('dist/kernels/.built-sources');

/** Nothing when they are up to date, which saves seconds. Throws what the compiler says when a kernel does not compile. */
export function buildKernels() {
  const sources = existsSync(inProject('kernels'))
    ? readdirSync(inProject('kernels'), {recursive: true, encoding: 'utf8'}).filter(isSource).sort()
    : [];
  if (sources.length === 0) return;
  const files = sources.map((name) => inProject('kernels', name));
  const hash = hashOf([...files, fileURLToPath(import.meta.url), inProject('package-lock.json')]);
  if (existsSync(builtStamp) && readFileSync(builtStamp, 'utf8') === hash) return;
  mkdirSync(inProject('dist/kernels'), {recursive: true});
  for (const name of sources) if (!name.includes(sep)) compile(name);
  writeFileSync(builtStamp, hash);
}

const isSource = (name) => name.endsWith('.ts');

function compile(name) {
  const target = inProject('dist/kernels', `${name.slice(0, -'.ts'.length)}.wasm`);
  execFileSync(
    process.execPath,
    [compiler, join('kernels', name), '-o', target, ...options, ...(optionsOf[name] ?? [])],
    {
      cwd: projectRoot,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildKernels();
