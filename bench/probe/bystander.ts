// A process that does nothing and sleeps a millisecond at a time, watched by the same probe as the edge: how late any thread
// of this machine is at that moment, whatever it does.

import {type ChildProcess, spawn} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {nodeFlags} from '../../src/node-flags.js';
import {type StallLine, stallFileVariable} from './loop-stalls.js';
import {StallFile} from './stall-file.js';

const probe = fileURLToPath(new URL('./loop-stalls.js', import.meta.url));
/** It ends with the bench: the probe's timers do not keep it, and its input does. */
const untilBenchEnds = 'process.stdin.resume()';

export class Bystander {
  readonly #file = new StallFile();
  readonly #child: ChildProcess;

  constructor() {
    this.#child = spawn(process.execPath, [...nodeFlags, '--import', probe, '--eval', untilBenchEnds], {
      env: {PATH: process.env.PATH, [stallFileVariable]: this.#file.path},
      stdio: ['pipe', 'ignore', 'inherit'],
    });
  }

  /** Forgets the seconds until now. */
  clear(): void {
    this.#file.clear();
  }

  read(): StallLine[] {
    return this.#file.read();
  }

  stop(): void {
    this.#child.kill('SIGKILL');
    this.#file.stop();
  }
}
