// Which threads run first where cores are scarce.
//   Linux has a niceness for each thread; elsewhere a process has one, and nothing is changed.
import {getPriority, setPriority} from 'node:os';
import type {Logger} from './observe.js';

/** For a core that another thread wants as well it gets a quarter of it. */
const steps = 5;
const nicenessMax = 19;

/** The calling thread gives way to the others of its process from now on, in steps from what the process was given. */
export function giveWay(log: Logger): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, Math.min(nicenessMax, getPriority(0) + steps));
  } catch (error) {
    log.warn({err: error}, 'the system does not let a thread give way to others');
  }
}
