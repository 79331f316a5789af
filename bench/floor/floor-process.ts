// A floor server as a child process of the benchmark.

import {type ChildProcess, fork} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import type {Target} from '../machine/target.js';
import type {FloorKind} from './main.js';

const program = fileURLToPath(new URL('./main.js', import.meta.url));

export async function startFloor(kind: FloorKind): Promise<Target> {
  const child: ChildProcess = fork(program, [kind], {execArgv: []});
  const [message] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`the floor server "${kind}" did not start`))),
  ])) as [{port: number}];
  return {
    host: '127.0.0.1',
    port: message.port,
    pid: child.pid!,
    async stop() {
      child.kill('SIGKILL');
    },
  };
}
