// The part of WebAssembly's interface that is used here: Node has it, but its types come with those of browsers alone.
// And where compiled kernels are (kernels/, tools/run/kernels.mjs).

import {readFileSync} from 'node:fs';
import {StartFault} from './start-fault.js';

/** What a module says and takes: functions, and numbers for its constants. */
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
/** What a kernel that works on vectors may put, or lose, behind the end of an area. */
export const areaMarginBytes = 64;

/** A memory that never grows. @throws RangeError when there is no room for it. */
export function fixedMemory(bytes: number): Memory {
  const pages = Math.ceil(bytes / pageBytes);
  return new WebAssembly!.Memory({initial: pages, maximum: pages});
}

/**
 * Where areas of so many bytes stand, one behind the other, each at a multiple of 64 and with room for as much behind it, and
 * before the first; and how long all of it is.
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

/** What the kernel exports. */
export const instantiate = (module: object, imports: Imports): unknown =>
  new WebAssembly!.Instance(module, imports).exports;

const kernelNames = ['event-rows', 'funnel-progress', 'plain-batch', 'row-finder'] as const;
type KernelName = (typeof kernelNames)[number];

/** Compiled: of one module several instances can be made. @throws StartFault */
export const loadKernel = (name: KernelName): object => new WebAssembly!.Module(readKernel(name));

/** Whether all kernels are there and this machine can run them. @throws StartFault */
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

/** Of a file in kernels/. The caller may run as a source (in tests), or compiled, two folders below the root. */
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
