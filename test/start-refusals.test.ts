// A start that cannot go on says why in one line, ends with code 1, and leaves the data as it found it.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {type AddressInfo, createServer} from 'node:net';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {ExternalNats, type ExternalNatsOptions} from './support/external-nats.js';
import {Client, expectJson} from './support/http.js';
import {type Service, startService, temporaryFolder} from './support/service.js';

const program = fileURLToPath(new URL('../dist/service/main.js', import.meta.url));

interface End {
  readonly code: number | null;
  readonly stderr: string;
}

/** Runs the program until it ends by itself. */
async function refusedStart(env: Readonly<Record<string, string>>): Promise<End> {
  const child = spawn(process.execPath, [program], {
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

const badValues: Readonly<Record<string, string>> = {
  PORT: 'eighty',
  PARTITIONS: '0',
  REPLICAS: 'two',
  ROLES: 'edge,kitchen',
  REPORT_REFRESH_SECONDS: '-1',
  RATE_LIMIT_EVENTS_PER_SECOND: 'many',
  RATE_LIMIT_READS_PER_MINUTE: '-5',
  RATE_LIMIT_DELETES_PER_SECOND: 'x',
  MEMORY_CACHE_MIB: '1.5.1',
  DEDUPE_MEMORY_MIB: '-1',
  LOG_LEVEL: 'loud',
  BOOTSTRAP_WRITE_KEY: 'sk_live_wrongPrefix',
  BOOTSTRAP_SECRET_KEY: 'sk_write_wrongPrefix',
};

describe('configuration', () => {
  test('one line names every bad value', async () => {
    const dataDir = join(temporaryFolder(), 'never-made');
    const end = await refusedStart({...badValues, DATA_DIR: dataDir});
    expectOneLine(end, ...Object.keys(badValues));
    expect(existsSync(dataDir)).toBe(false);
  });

  test.each(Object.entries(badValues))('%s=%s alone is enough, and nothing else is named', async (name, value) => {
    const end = await refusedStart({[name]: value});
    expectOneLine(end, name);
    for (const other of Object.keys(badValues).filter((one) => one !== name))
      expect(end.stderr).not.toMatch(new RegExp(`\\b${other}\\b`));
  });

  test('secrets are not printed', async () => {
    const end = await refusedStart({BOOTSTRAP_WRITE_KEY: 'wrong-and-secret', PORT: 'x'});
    expectOneLine(end, 'BOOTSTRAP_WRITE_KEY', 'PORT');
    expect(end.stderr).not.toContain('wrong-and-secret');
  });
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
    expectOneLine(await refusedStart({DATA_DIR: dataDir}), dataDir);
    // The same start once more has the same port, too.
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

describe('nats-server', () => {
  test('a missing one is named', async () => {
    const missing = join(temporaryFolder(), 'no-nats-server');
    expectOneLine(await refusedStart({NATS_SERVER_BIN: missing}), missing);
  });

  test('a file that is no program is named', async () => {
    const file = join(temporaryFolder(), 'nats-server');
    writeFileSync(file, 'no program');
    expectOneLine(await refusedStart({NATS_SERVER_BIN: file}), file);
  });

  test('one that is too old says its version and the oldest that works', async () => {
    const old = join(temporaryFolder(), 'nats-server');
    writeFileSync(old, '#!/bin/sh\necho "nats-server: v2.8.4"\n');
    chmodSync(old, 0o755);
    expectOneLine(await refusedStart({NATS_SERVER_BIN: old}), /2\.8\.4/, /2\.9\.10/);
  });

  test('an address where nobody listens is named', async () => {
    expectOneLine(await refusedStart({NATS_URL: 'nats://127.0.0.1:1'}), '127.0.0.1:1');
  });

  test('credentials that cannot be read are named', async () => {
    const path = join(temporaryFolder(), 'missing.creds');
    expectOneLine(await refusedStart({NATS_URL: 'nats://127.0.0.1:1', NATS_CREDS: path}), 'NATS_CREDS', path);
  });
});

describe('an external NATS', () => {
  async function refusedOn(options: ExternalNatsOptions, env: Record<string, string> = {}): Promise<End> {
    const nats = await ExternalNats.start(options);
    const end = await refusedStart({NATS_URL: nats.url, ...env});
    await nats.stop();
    return end;
  }

  test.each(['edge', 'partition', 'report'])('one that carries less than is written is refused as %s', async (role) => {
    // More than any log message with one event, and less than a value of a part.
    const end = await refusedOn({lines: ['max_payload: 400000']}, {ROLES: role});
    expectOneLine(end, /max_payload is 400000: at least 1000000 are needed/);
  });

  test('a missing login is no server that does not answer', async () => {
    const end = await refusedOn({lines: ['authorization { token: "hidden" }']});
    expectOneLine(end, /the NATS server at 127\.0\.0\.1:\d+ refuses the login .*NATS_TOKEN/);
    expect(end.stderr).not.toMatch(/answers|hidden/);
  });

  test('replicas without a cluster are refused in its words', async () => {
    const end = await refusedOn({}, {REPLICAS: '3'});
    expectOneLine(end, /REPLICAS=3: replicas > 1 not supported in non-clustered mode \(10074\)$/);
  });
});

describe('DATA_DIR', () => {
  test('a file in its place is named, and stays as it is', async () => {
    const file = join(temporaryFolder(), 'data');
    writeFileSync(file, 'precious');
    expectOneLine(await refusedStart({DATA_DIR: file}), file);
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });

  test('a place where nobody may write is named', async () => {
    expectOneLine(await refusedStart({DATA_DIR: '/proc/millrace-data'}), '/proc/millrace-data');
  });
});
