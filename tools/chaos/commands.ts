// Commands of the system that nemeses need: mount, mkfs, cp.

import {execFileSync} from 'node:child_process';
import {setTimeout as delay} from 'node:timers/promises';
import {NotPermitted} from './nemesis.js';

const unmountMsMax = 15_000;
const unmountAgainMs = 50;

export function run(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, {stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8'});
}

/** A command that the machine forbids is no failure of the service: throws `NotPermitted` with the command's own words. */
export function runIfPermitted(command: string, ...args: readonly string[]): void {
  if (process.platform !== 'linux') throw new NotPermitted('needs Linux');
  try {
    run(command, ...args);
  } catch (error) {
    throw new NotPermitted((error as Error).message.trim().replaceAll('\n', ' '));
  }
}

/** Retries while a killed process is still ending. */
export async function unmount(folder: string): Promise<void> {
  const deadlineMs = performance.now() + unmountMsMax;
  for (;;) {
    try {
      return run('umount', folder);
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
      await delay(unmountAgainMs);
    }
  }
}
