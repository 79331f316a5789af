// A process that stands still: its connections stay open, and nothing comes over them.

import {isStopped} from '../../src/process-life.js';
import {until} from './until.js';

/** SIGSTOP, until SIGCONT. Resolves when no thread of it runs: on a busy machine one goes on for some time after the signal. */
export async function halt(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await until(`no thread of process ${pid} runs`, () => isStopped(pid));
}
