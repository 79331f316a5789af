// Linux tells the niceness of each thread in /proc.
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {availableParallelism, getPriority} from 'node:os';
import {expect, test} from 'vitest';
import {startService} from './support/service.js';

/** Field 19 of proc_pid_stat(5), of those behind the name, the second, which may hold spaces. */
const nicenessAt = 19 - 3;

/** Undefined: the thread has ended meanwhile. */
function nicenessOf(pid: number, thread: string): number | undefined {
  const path = `/proc/${pid}/task/${thread}/stat`;
  if (!existsSync(path)) return undefined;
  const stat = readFileSync(path, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[nicenessAt]);
}

test.skipIf(process.platform !== 'linux')(
  'threads that fold and compile give way to those that somebody waits for (not on Linux: threads have no niceness of their own)',
  async () => {
    const service = await startService();
    const threads = readdirSync(`/proc/${service.pid}/task`);
    const niceness = threads.map((thread) => nicenessOf(service.pid, thread));
    await service.stop();
    const given = getPriority();
    const folding = Math.max(1, Math.min(4, availableParallelism() - 1));
    const delivering = 1;
    const expected = [...new Array(folding + delivering).fill(given + 5), given + 10, given + 10];
    expect(niceness.filter((nice) => nice !== undefined && nice !== given).sort((a, b) => a! - b!)).toEqual(
      expected.map((nice) => Math.min(19, nice)),
    );
  },
);
