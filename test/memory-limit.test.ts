// The smallest line of the table of memory in docs/operating.md: the service takes events under such a limit, and is not killed.
import {existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {memoryDoubt} from '../src/memory-plan.js';
import {Client} from './support/http.js';
import {until} from './support/reports.js';
import {hasOwnNats, startService, temporaryFolder} from './support/service.js';

const mib = 1024 * 1024;
const sizing = readFileSync(new URL('../docs/operating.md', import.meta.url), 'utf8');

/** Lines of the table: MiB of the machine, and the variables. */
const lines = [...sizing.matchAll(/^\| (512 MiB|\d GiB) \|[^|]*\| `([A-Z0-9_= ]+)` \|/gm)].map(
  ([, size, variables]) => ({
    bytes: (size === '512 MiB' ? 512 : Number(size!.split(' ')[0]) * 1024) * mib,
    env: Object.fromEntries(variables!.split(' ').map((variable) => variable.split('=') as [string, string])),
  }),
);

const configOf = (env: Readonly<Record<string, string>>) => ({
  nats: {kind: 'embedded' as const, serverBin: ''},
  cacheBytesMax: Number(env.MEMORY_CACHE_MIB) * mib,
  dedupeBytesMax: Number(env.DEDUPE_MEMORY_MIB) * mib,
  funnelBytesMax: Number(env.FUNNEL_MEMORY_MIB) * mib,
});

test('every line of the table fits, and the defaults on a small machine are told with what to change', () => {
  expect(lines.map(({bytes}) => bytes / mib)).toEqual([512, 1_024, 2_048, 4_096]);
  for (const {bytes, env} of lines) expect(memoryDoubt(configOf(env), bytes)).toBe(undefined);
  const defaults = configOf({MEMORY_CACHE_MIB: '512', DEDUPE_MEMORY_MIB: '512', FUNNEL_MEMORY_MIB: '256'});
  expect(memoryDoubt(defaults, 512 * mib)).toMatch(
    /^the service may grow to 1680 MiB, and 512 are here: the kernel would kill it\. 400 are needed in any case; lower MEMORY_CACHE_MIB \(512\)/,
  );
});

/** A control group with a limit of memory; undefined where this process may make none. */
function limitedGroup(bytes: number): {enter(): () => void; kills(): number; remove(): void} | undefined {
  const isV1 = existsSync('/sys/fs/cgroup/memory/cgroup.procs');
  const root = isV1 ? '/sys/fs/cgroup/memory' : '/sys/fs/cgroup';
  const group = join(root, `millrace-test-${process.pid}`);
  try {
    const own = readFileSync('/proc/self/cgroup', 'utf8');
    const path = (isV1 ? /^\d+:memory:(.*)$/m : /^0::(.*)$/m).exec(own)![1]!;
    mkdirSync(group);
    writeFileSync(join(group, isV1 ? 'memory.limit_in_bytes' : 'memory.max'), String(bytes));
    return {
      enter() {
        writeFileSync(join(group, 'cgroup.procs'), String(process.pid));
        return () => writeFileSync(join(root, path, 'cgroup.procs'), String(process.pid));
      },
      kills: () =>
        Number(
          /^oom_kill (\d+)$/m.exec(
            readFileSync(join(group, isV1 ? 'memory.oom_control' : 'memory.events'), 'utf8'),
          )![1],
        ),
      remove: () => rmdirSync(group),
    };
  } catch {
    return undefined;
  }
}

const [smallest] = lines;
const group = hasOwnNats ? limitedGroup(smallest!.bytes) : undefined;
if (group === undefined) process.stderr.write('SKIPPED: no control group with a limit of memory may be made here\n');

test.skipIf(group === undefined)(
  'the smallest line takes batches at full speed and answers, and nothing is killed',
  async () => {
    const leave = group!.enter(); // Children begin in the group of their parent.
    const service = await startService({env: smallest!.env, dataDir: temporaryFolder({onDisk: true})}).finally(leave);
    onTestFinished(async () => {
      await service.stop();
      await until(async () => group!.remove() ?? true, Boolean, 'the group is empty');
    });
    const client = new Client(service.baseUrl, service.writeKey);
    const batches = 100;
    let next = 0;
    const lane = async (): Promise<void> => {
      for (let batch = next++; batch < batches; batch = next++) {
        const events = Array.from({length: 1_000}, (_, i) => ({
          event: `name-${i % 20}`,
          userId: `user-${(batch * 1_000 + i) % 20_000}`,
          messageId: `m-${batch}-${i}`,
          timestamp: new Date(Date.UTC(2026, 0, 1 + (i % 28))).toISOString(),
          properties: {plan: `plan-${i % 3}`, page: `/page/${i % 50}`, amount: i, country: `c-${i % 40}`},
        }));
        // A busy machine may cut a connection whose body takes long. The message ids make a repetition harmless.
        await until(
          () =>
            client.post('/v1/events/batch', {events}).then(
              ({status}) => status,
              () => group!.kills(),
            ),
          (status) => status === 200 || status === 1,
          'a batch is taken',
        );
      }
    };
    await Promise.all(Array.from({length: 4}, lane));
    const reader = new Client(service.baseUrl, service.secretKey);
    await until(
      async () =>
        (await reader.get('/v1/reports/events?any_event=true&from=2026-01-01&to=2026-01-31')).json<{total: number}>(),
      ({total}) => total === batches * 1_000,
      'all events are in reports',
    );
    expect(service.logs()).not.toMatch(/may grow to/);
    expect(group!.kills()).toBe(0);
  },
);
