// A start that cannot go on says why in one line, ends with code 1, and leaves the data as it found it.

import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {type AddressInfo, createServer} from 'node:net';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {ExternalNats} from './support/external-nats.js';
import {Client, expectJson} from './support/http.js';
import {type Service, startService, temporaryFolder} from './support/service.js';

const program = fileURLToPath(new URL('../dist/service/main.js', import.meta.url));
const doctor = fileURLToPath(new URL('../dist/service/cli/doctor.js', import.meta.url));

interface End {
  readonly code: number | null;
  readonly stderr: string;
}

/** Runs the program until it ends by itself. */
async function refusedStart(
  env: Readonly<Record<string, string>>,
  {main = program, nodeFlags = []}: {main?: string; nodeFlags?: readonly string[]} = {},
): Promise<End> {
  const child = spawn(process.execPath, [...nodeFlags, main], {
    env: {
      PATH: process.env.PATH,
      NATS_SERVER_BIN: process.env.NATS_SERVER_BIN,
      PORT: '0',
      DATA_DIR: temporaryFolder(),
      REPORT_REFRESH_SECONDS: '1',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return {code, stderr};
}

function expectOneLine(end: End, ...words: readonly (string | RegExp)[]): void {
  const lines = end.stderr.split('\n').filter((line) => line.trim() !== '');
  expect(lines, end.stderr).toHaveLength(1);
  for (const word of words) expect(lines[0]).toMatch(word);
  expect(lines[0]).not.toMatch(/\n\s+at |node:internal/);
  expect(end.code).toBe(1);
}

async function expectKept(service: Service): Promise<void> {
  const answer = await new Client(service.baseUrl, service.secretKey).get('/v1/users/ada');
  expect(answer.json()).toMatchObject({id: 'ada', events: [{event: 'kept'}]});
}

/** Path and bytes of every file. */
function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, {recursive: true, withFileTypes: true}).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, readFileSync(path).toString('base64')];
    }),
  );
}

test('one line names every bad value, and shows no secret', async () => {
  const dataDir = join(temporaryFolder(), 'never-made');
  const end = await refusedStart({
    PORT: 'x',
    LOG_LEVEL: 'loud',
    BOOTSTRAP_WRITE_KEY: 'wrong-secret',
    DATA_DIR: dataDir,
  });
  expectOneLine(end, 'PORT', 'LOG_LEVEL', 'BOOTSTRAP_WRITE_KEY');
  expect(end.stderr).not.toContain('wrong-secret');
  expect(existsSync(dataDir)).toBe(false);
});

describe('where data is', () => {
  let service: Service;
  const env = {PARTITIONS: '2'};
  beforeAll(async () => {
    service = await startService({env});
    const client = new Client(service.baseUrl, service.secretKey);
    expectJson(await client.post('/v1/events', {event: 'kept', userId: 'ada'}), 200);
  });

  test('a running service goes on', async () => {
    const {dataDir, baseUrl} = service;
    // The same start a second time has the same port, too: the folder is named, not the port.
    const again = await refusedStart({DATA_DIR: dataDir, PORT: new URL(baseUrl).port});
    expectOneLine(again, dataDir, 'in use by another Millrace');
    await expectKept(service);
    const client = new Client(baseUrl, service.secretKey);
    expectJson(await client.post('/v1/events', {event: 'later', userId: 'bob'}), 200);
    expect(await service.stop()).toBe(0);
  });

  describe('of a service that was stopped', () => {
    const refused = (more: Record<string, string>) => refusedStart({...env, DATA_DIR: service.dataDir, ...more});

    afterAll(async () => {
      const again = await startService({env, dataDir: service.dataDir});
      await expectKept(again);
      expect(await again.stop()).toBe(0);
    });

    test('it stays byte for byte when a variable is bad', async () => {
      const before = contentOf(service.dataDir);
      expectOneLine(await refused({PORT: '70000'}), 'PORT');
      expect(contentOf(service.dataDir)).toEqual(before);
    });

    test('it stays when the port is busy, which is named', async () => {
      const holder = createServer().listen(0, '127.0.0.1');
      await once(holder, 'listening');
      const {port} = holder.address() as AddressInfo;
      expectOneLine(await refused({PORT: String(port)}), String(port));
      holder.close();
      await once(holder, 'close');
    });

    test('it stays when PARTITIONS is another one', async () => {
      expectOneLine(await refused({PARTITIONS: '3'}), 'PARTITIONS', '2', '3');
    });
  });
});

describe('without what runs the kernels', () => {
  const dataDir = (): string => join(temporaryFolder(), 'never-made');

  test('a file that is missing is named', async () => {
    const folder = temporaryFolder();
    const project = fileURLToPath(new URL('..', import.meta.url));
    cpSync(join(project, 'dist/service'), join(folder, 'dist/service'), {recursive: true});
    for (const name of ['package.json', 'node_modules', 'src']) symlinkSync(join(project, name), join(folder, name));
    mkdirSync(join(folder, 'kernels'));
    for (const name of readdirSync(join(project, 'kernels')))
      if (name !== 'row-finder.wasm' && name.endsWith('.wasm'))
        symlinkSync(join(project, 'kernels', name), join(folder, 'kernels', name));
    const DATA_DIR = dataDir();
    expectOneLine(
      await refusedStart({DATA_DIR}, {main: join(folder, 'dist/service/main.js')}),
      'kernels/row-finder.wasm is missing',
      'npm run kernels',
    );
    expect(existsSync(DATA_DIR)).toBe(false);
  });

  const machines: readonly (readonly [string, readonly string[]])[] = [
    ['no WebAssembly', ['--jitless', '--no-expose-wasm']],
    ...(process.arch === 'x64' ? [['no SIMD', ['--no-enable-sse4-1']] as const] : []),
  ];
  test.each(machines)('%s is named', async (_, nodeFlags) => {
    const DATA_DIR = dataDir();
    expectOneLine(await refusedStart({DATA_DIR}, {nodeFlags}), 'WebAssembly with SIMD is needed');
    expect(existsSync(DATA_DIR)).toBe(false);
    const {status, stdout} = spawnSync(process.execPath, [...nodeFlags, doctor], {encoding: 'utf8'});
    expect(stdout).toMatch(/^bad +.*WebAssembly with SIMD is needed/m);
    expect(status).toBe(1);
  });
});

test('a nats-server that is missing is named', async () => {
  const missing = join(temporaryFolder(), 'no-nats-server');
  expectOneLine(await refusedStart({NATS_SERVER_BIN: missing}), missing);
});

test('an external NATS that refuses the login is named, and the login is not shown', async () => {
  const nats = await ExternalNats.start({lines: ['authorization { token: "hidden" }']});
  const end = await refusedStart({NATS_URL: nats.url, NATS_TOKEN: 'wrong-secret'});
  await nats.stop();
  expectOneLine(end, /the NATS server at 127\.0\.0\.1:\d+ refuses the login .*NATS_TOKEN/);
  expect(end.stderr).not.toMatch(/answers|hidden|wrong-secret/);
});

test('a file in the place of DATA_DIR is named, and stays as it is', async () => {
  const file = join(temporaryFolder(), 'data');
  writeFileSync(file, 'precious');
  expectOneLine(await refusedStart({DATA_DIR: file}), file);
  expect(readFileSync(file, 'utf8')).toBe('precious');
});
