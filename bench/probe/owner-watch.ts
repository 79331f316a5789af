// Loaded into the service by `--import`: it drains when the benchmark that started it is gone, however that ended.
//   The benchmark holds the other end of its stdin and writes nothing; the kernel closes that pipe with the benchmark.

import {isMainThread} from 'node:worker_threads';

// Worker threads of the service load this, too.
if (isMainThread) {
  process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM')).resume();
  // A service that has drained ends all the same.
  (process.stdin as unknown as {unref(): void}).unref();
}
