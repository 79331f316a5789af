// Which threads run first where cores are scarce.
//   Linux has a niceness for each thread; elsewhere a process has one, and nothing is changed.
import {readdirSync} from 'node:fs';
import {getPriority, setPriority} from 'node:os';
import type {Logger} from './observe.js';

/** For a core that another thread wants as well it gets a quarter of it. */
const steps = 5;
/** A tenth of it. */
const compilerSteps = 10;
const nicenessMax = 19;
/** The calling one. */
const thisThread = 0;

/** The calling thread gives way to the others of its process from now on, in steps from what the process was given. */
export function giveWay(log: Logger): void {
  giveWayBy(log, steps, () => [thisThread]);
}

/**
 * The thread that compiles hot code yields, too: uncompiled code answers meanwhile, only slower. To be called before this
 * process has threads of its own.
 */
export function letCompilerGiveWay(log: Logger): void {
  giveWayBy(log, compilerSteps, threadsOfV8);
}

/**
 * A timer and, of one worker (src/node-flags.ts), that worker: Node starts them first, and numbers ascend. Were they others, as
 * numbers begin anew at some point, those would only be slower.
 */
function threadsOfV8(): number[] {
  const others = readdirSync('/proc/self/task')
    .map(Number)
    .filter((thread) => thread !== process.pid);
  return others.sort((a, b) => a - b).slice(0, 2);
}

function giveWayBy(log: Logger, nicenessSteps: number, threads: () => readonly number[]): void {
  if (process.platform !== 'linux') return;
  try {
    for (const thread of threads()) {
      setPriority(thread, Math.min(nicenessMax, getPriority(thread) + nicenessSteps));
    }
  } catch (error) {
    log.warn({err: error}, 'the system does not allow a lower thread priority');
  }
}
