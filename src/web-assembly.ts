// The part of WebAssembly's interface that this program uses (Node has it, but only browser libraries declare its types), and
// the compiled kernels (kernels/, tools/run/kernels.mjs).

import {readFileSync} from 'node:fs';
import {StartFault} from './start-fault.js';

/** Imports of a module: functions, and numbers for its constants. */
type Imports = {readonly [module: string]: {readonly [name: string]: unknown}};

export interface Memory {
  readonly buffer: ArrayBuffer;
}

interface WebAssemblyInterface {
  readonly Module: new (code: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object, imports: Imports) => {readonly exports: unknown};
  /** Pages of 64 KiB. */
  readonly Memory: new (pages: {
    readonly initial: number;
    readonly maximum: number;
  }) => Memory;
  validate(code: Uint8Array<ArrayBuffer>): boolean;
}

/** Node has none with --jitless. */
const {WebAssembly} = globalThis as unknown as {readonly WebAssembly?: WebAssemblyInterface};

const pageBytes = 64 * 1024;
/** Bytes after an area that a vector kernel may read or overwrite. */
export const areaMarginBytes = 64;

/** A memory that never grows. @throws RangeError when there is no room for it. */
export function fixedMemory(bytes: number): Memory {
  const pages = Math.ceil(bytes / pageBytes);
  return new WebAssembly!.Memory({initial: pages, maximum: pages});
}

/**
 * Positions of areas with these sizes, one after the other, each at a multiple of 64 with a margin after it and before the
 * first; and the total length.
 */
export function layOut<Area extends string>(
  areas: Readonly<Record<Area, number>>,
): {places: Readonly<Record<Area, number>>; length: number} {
  let at = areaMarginBytes;
  const places = {} as Record<Area, number>;
  for (const [name, bytes] of Object.entries<number>(areas)) {
    places[name as Area] = at;
    at += Math.ceil(bytes / areaMarginBytes + 1) * areaMarginBytes;
  }
  return {places, length: at};
}

/** Instantiates a compiled module; returns its exports. */
export const instantiate = (module: object, imports: Imports): unknown =>
  new WebAssembly!.Instance(module, imports).exports;

const kernelNames = ['event-rows', 'funnel-progress', 'plain-batch', 'row-finder'] as const;
type KernelName = (typeof kernelNames)[number];

/** Compiles a kernel; a module can have several instances. @throws StartFault */
export const loadKernel = (name: KernelName): object => new WebAssembly!.Module(readKernel(name));

/** Checks that all kernels exist and this machine can run them. @throws StartFault */
export function checkKernels(): void {
  for (const name of kernelNames) readKernel(name);
}

function readKernel(name: KernelName): Uint8Array<ArrayBuffer> {
  const code = bytesOf(`${name}.wasm`);
  if (code === undefined)
    throw new StartFault(
      `kernels/${name}.wasm is missing: install Millrace again, or run \`npm run kernels\` in a checkout`,
    );
  if (WebAssembly?.validate(code) !== true)
    throw new StartFault(
      `kernels/${name}.wasm does not run here: WebAssembly with SIMD is needed, which is a processor with SSE4.1 or NEON, and Node without --jitless`,
    );
  return code;
}

/** Bytes of a file in kernels/. The caller may run from source (in tests), or compiled, two folders below the root. */
function bytesOf(file: string): Uint8Array<ArrayBuffer> | undefined {
  for (const folder of ['../kernels', '../../kernels']) {
    try {
      return readFileSync(new URL(`${folder}/${file}`, import.meta.url));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return undefined;
}
