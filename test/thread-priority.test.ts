// Linux tells the niceness of each thread in /proc.
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {availableParallelism, getPriority} from 'node:os';
import {expect, test} from 'vitest';
import {Client} from './support/http.js';
import {startService} from './support/service.js';
import {until} from './support/until.js';

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

const given = getPriority();
/** Steps above the niceness of this process, of the threads that have another one. */
const stepsOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => nicenessOf(pid, thread))
    .filter((nice) => nice !== undefined)
    .map((nice) => nice - given)
    .filter((steps) => steps !== 0)
    .sort((a, b) => a - b);

test.skipIf(process.platform !== 'linux')(
  'threads that fold, compile and deliver give way to those that somebody waits for; the last one starts with the first webhook (not on Linux: threads have no niceness of their own)',
  async () => {
    const service = await startService({env: {WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1', WEBHOOK_ALLOW_HTTP: '1'}});
    const steps = (count: number, step: number): number[] =>
      new Array<number>(count).fill(Math.min(19 - given, step)).filter((some) => some > 0);
    const folding = Math.max(1, Math.min(4, availableParallelism() - 1));
    const compiling = steps(2, 10);
    expect(stepsOf(service.pid)).toEqual([...steps(folding, 5), ...compiling]);
    const webhook = {kind: 'webhook', url: 'http://127.0.0.1:9/', types: [{type: 'report.revised'}]};
    const client = new Client(service.baseUrl, service.secretKey);
    expect((await client.post('/v1/webhooks', webhook)).status).toBe(201);
    const whole = [...steps(folding + 1, 5), ...compiling].join();
    await until('the deliver thread runs', () => stepsOf(service.pid).join() === whole);
    await service.stop();
  },
);
