// First start, second start, ends of every kind, and a nats-server that dies meanwhile: of the whole program.

import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readFileSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, afterEach, beforeAll, describe, expect, test} from 'vitest';
import {folderIdentity} from '../src/folder-identity.js';
import {isRunning} from '../src/process-life.js';
import {ask} from '../tools/http-client.js';
import {Client, type HistoryAnswer} from './support/http.js';
import {
  hasOwnNats,
  natsServerPid,
  type Service,
  type ServiceOptions,
  startService,
  temporaryFolder,
} from './support/service.js';
import {until} from './support/until.js';

const started: Service[] = [];
afterEach(async () => {
  for (const service of started.splice(0)) if (isRunning(service.pid)) await service.kill();
});

async function start(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService(options);
  started.push(service);
  return service;
}

/** Empty variables count as unset: keys and token are created as on an operator's first start. */
const asOperator = {BOOTSTRAP_WRITE_KEY: '', BOOTSTRAP_SECRET_KEY: '', ADMIN_TOKEN: ''};

/** The commands of the welcome, as it shows them. */
const commandsOf = (output: string): string[] => output.match(/^ {2}(?:curl|\.) (?:.*\\\n)*.*$/gm) ?? [];

/** In one shell, one after the other; what each prints is a line. */
function shell(...commands: string[]): unknown[] {
  const script = commands.map((command) => `${command}\necho`).join('\n');
  const printed = execFileSync('bash', ['-euc', script], {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']});
  return printed.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
}

async function track(service: Service, userId: string): Promise<number> {
  const sent = {method: 'POST', key: service.writeKey, json: {event: 'e', userId, messageId: userId}};
  return (await ask(`${service.baseUrl}/v1/events`, sent)).status;
}

async function countOf(service: Service): Promise<number> {
  const answer = await new Client(service.baseUrl, service.secretKey).get('/v1/events?event=e&limit=1000');
  return answer.json<Partial<HistoryAnswer>>().data?.length ?? -1;
}

test('the first start keeps its keys in a file, its commands work with them, and later starts make none', async () => {
  const service = await start({env: asOperator});
  // It may be ready before its words are here.
  await until('it shows its commands', () => commandsOf(service.logs()).length === 3);
  expect(service.logs()).not.toMatch(/sk_(write|live)_/);
  const path = join(service.dataDir, 'first-keys');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const [readKeys, eventIn, reportOut] = commandsOf(service.logs()) as [string, string, string];
  expect(shell(readKeys, eventIn)).toEqual([{status: 'ok', received: 1}]);
  const report = await until('the event is in the report', () => {
    const [answer] = shell(readKeys, reportOut) as {total: number}[];
    return answer!.total > 0 && answer;
  });
  expect(report).toMatchObject({event: 'signup', total: 1});

  rmSync(path);
  expect(await service.stop()).toBe(0);
  const again = await start({dataDir: service.dataDir, env: asOperator});
  expect(again.logs()).not.toMatch(/sk_(write|live)_|first-keys/);
  expect(existsSync(path)).toBe(false);
});

test.skipIf(!hasOwnNats)(
  'a terminal is shown the key that is created, and not the one that the operator fixed',
  async () => {
    const fixed = 'sk_live_fixedByTheOperator01';
    const dataDir = temporaryFolder();
    const env = {...asOperator, BOOTSTRAP_SECRET_KEY: fixed, PORT: '0', DATA_DIR: dataDir};
    const {PATH, NATS_SERVER_BIN} = process.env;
    const command = `exec ${process.execPath} ${fileURLToPath(new URL('../dist/service/main.js', import.meta.url))}`;
    const terminal = spawn('script', ['-qefc', command, '/dev/null'], {env: {PATH, NATS_SERVER_BIN, ...env}});
    let shown = '';
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text.replaceAll('\r', '');
    });
    await until('it shows its commands', () => commandsOf(shown).length === 2);
    await until('it can be stopped', () => existsSync(join(dataDir, 'service.json')));
    const {pid} = JSON.parse(readFileSync(join(dataDir, 'service.json'), 'utf8')) as {pid: number};
    process.kill(pid, 'SIGTERM');
    await once(terminal, 'exit');
    expect(shown).toMatch(/A key was created\.[\s\S]*sk_write_/);
    expect(shown).toContain('-H "Authorization: Bearer $SECRET_KEY"');
    expect(shown).not.toContain(fixed);
    expect(shown).not.toContain('configuration');
    expect(shown).toContain(`DATA_DIR='${dataDir}' `);
    expect(existsSync(join(dataDir, 'first-keys'))).toBe(false);
  },
);

test('a command for a link says what it does, and makes no link of words that it does not know', () => {
  const program = fileURLToPath(new URL('../dist/service/cli/dashboard.js', import.meta.url));
  const run = (...words: string[]) => spawnSync(process.execPath, [program, ...words], {encoding: 'utf8'});
  expect(run('--help')).toMatchObject({status: 0, stdout: expect.stringMatching(/^Usage: .*DATA_DIR/s), stderr: ''});
  expect(run('--hlep')).toMatchObject({status: 2, stdout: '', stderr: expect.stringContaining('--hlep')});
});

test('a fixed key that was replaced is not ready when it is fixed again, with the reason and the cure', async () => {
  const keyOf = (n: number): string => `sk_write_fixedByTheOperator${n}`;
  const env = (n: number) => ({BOOTSTRAP_WRITE_KEY: keyOf(n), PARTITIONS: '1'});
  const {dataDir, stop} = await start({env: env(1)});
  expect(await stop()).toBe(0);
  expect(await (await start({dataDir, env: env(2)})).stop()).toBe(0);
  const service = await start({dataDir, env: env(1), awaits: 'listening'});
  const reasons = await until('nothing else is missing', async () => {
    const answer = await new Client(service.baseUrl).get('/readyz');
    const {reasons} = answer.json<{reasons: string[]}>();
    return answer.status === 503 && reasons.length === 1 && reasons;
  });
  expect(reasons).toEqual([
    expect.stringMatching(/^BOOTSTRAP_WRITE_KEY is a key that was revoked at .*: set a new key/),
  ]);
  const statusWith = async (n: number): Promise<number> =>
    (await new Client(service.baseUrl, keyOf(n)).post('/v1/events', {event: 'e', userId: 'u'})).status;
  expect([await statusWith(1), await statusWith(2)], 'the one before goes on').toEqual([401, 200]);
  expect(service.logs()).not.toContain(keyOf(1));
});

describe('services that follow each other on one folder', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({env: {LOG_LEVEL: 'info'}});
  });
  afterAll(async () => {
    if (isRunning(service.pid)) await service.kill();
  });
  const noteOf = ({dataDir}: Service): string => join(dataDir, 'service.json');
  const isOver = (server: number | undefined): boolean => server === undefined || !isRunning(server);

  test('while it runs, a note for the tools of this machine lies in DATA_DIR', () => {
    expect(JSON.parse(readFileSync(noteOf(service), 'utf8'))).toEqual({
      baseUrl: service.baseUrl,
      adminUrl: service.baseUrl,
      pid: service.pid,
      token: expect.stringMatching(/^[\w-]{43}$/),
      deployment: expect.stringMatching(/^[0-9a-f]{64}$/),
      folder: folderIdentity(service.dataDir),
    });
    expect(statSync(noteOf(service)).mode & 0o777).toBe(0o600);
  });

  test('SIGINT, and once more at once, as npm sends it on, is the same wish; a closed shell is none', async () => {
    process.kill(service.pid, 'SIGHUP'); // Nothing, where there is no terminal: `nohup npm start &` goes on.
    expect(await track(service, 'ada')).toBe(200);
    const server = natsServerPid(service);
    for (let sent = 0; sent < 3; sent++) process.kill(service.pid, 'SIGINT');
    expect(await service.stop('SIGINT')).toBe(0);
    expect([existsSync(noteOf(service)), isOver(server)]).toEqual([false, true]);
    expect(service.logs().match(/"draining"/g)).toHaveLength(1);
    service = await startService({dataDir: service.dataDir});
    expect(await countOf(service)).toBe(1);
  });

  test.skipIf(!hasOwnNats)('kill -9 leaves no nats-server, and the next start has everything', async () => {
    for (const user of ['bob', 'eve']) expect(await track(service, user)).toBe(200);
    const server = natsServerPid(service)!;
    await service.kill();
    await until('the orphan is gone', () => !isRunning(server));
    service = await startService({dataDir: service.dataDir});
    expect(await countOf(service)).toBe(3);
  });

  test.skipIf(!hasOwnNats)(
    'when its nats-server is killed it goes on by itself: refused for a moment, nothing lost',
    async () => {
      process.kill(natsServerPid(service)!, 'SIGKILL');
      await until('writes are taken again', async () => (await track(service, 'after')) === 200);
      await until('reads are answered again', async () => (await countOf(service)) === 4);
      await until('it is ready again', async () => (await ask(`${service.baseUrl}/readyz`)).status === 200);
      await until('it has said so', () => service.logs().includes('nats-server died: restarting it'));
    },
  );

  test('SIGTERM takes the note away, and leaves no process', async () => {
    const server = natsServerPid(service);
    expect(await service.stop()).toBe(0);
    expect([existsSync(noteOf(service)), isOver(server)]).toEqual([false, true]);
  });
});
