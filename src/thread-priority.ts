// Priorities of threads where cores are scarce. On Linux each thread has a niceness; elsewhere only a process has one, and
//   nothing is changed.
import {readdirSync} from 'node:fs';
import {getPriority, setPriority} from 'node:os';
import type {Logger} from './observe.js';

/** Steps that leave a thread a quarter of a core that another thread needs, too. */
const steps = 5;
/** Steps that leave it a tenth. */
const compilerSteps = 10;
const nicenessMax = 19;
/** Id of the calling thread. */
const thisThread = 0;

/** Lowers the priority of the calling thread from now on, relative to its process. */
export function lowerPriority(log: Logger): void {
  lowerBy(log, steps, () => [thisThread]);
}

/**
 * Lowers the priority of the thread that compiles hot code: uncompiled code answers meanwhile, only slower. Call it before this
 * process has threads of its own.
 */
export function lowerCompilerPriority(log: Logger): void {
  lowerBy(log, compilerSteps, threadsOfV8);
}

/**
 * V8's timer and its one worker (src/node-flags.ts): Node starts them first, and ids ascend. If ids wrapped around, other
 * threads would be slowed down, no more.
 */
function threadsOfV8(): number[] {
  const others = readdirSync('/proc/self/task')
    .map(Number)
    .filter((thread) => thread !== process.pid);
  return others.sort((a, b) => a - b).slice(0, 2);
}

function lowerBy(log: Logger, nicenessSteps: number, threads: () => readonly number[]): void {
  if (process.platform !== 'linux') return;
  try {
    for (const thread of threads()) {
      setPriority(thread, Math.min(nicenessMax, getPriority(thread) + nicenessSteps));
    }
  } catch (error) {
    log.warn({err: error}, 'the system does not allow a lower thread priority');
  }
}
