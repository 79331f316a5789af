// `npm start -- --help` and `--print-config`: answers to questions, which start nothing and leave nothing behind.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {cpSync, existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {variables} from '../../src/config.js';
import {nodeFlags} from '../../src/node-flags.js';
import {temporaryFolder} from '../support/service.js';

const scripts = fileURLToPath(new URL('../../scripts', import.meta.url));

interface End {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function npmStart(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  folder = scripts,
): Promise<End> {
  const child = spawn(process.execPath, [join(folder, 'start.mjs'), ...words], {
    env: {PATH: process.env.PATH, NATS_SERVER_BIN: process.env.NATS_SERVER_BIN, ...env},
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
  });
  const texts = ['', ''];
  for (const [at, stream] of [child.stdout, child.stderr].entries())
    stream.setEncoding('utf8').on('data', (text: string) => (texts[at] += text));
  const [code] = (await once(child, 'close')) as [number];
  return {code, stdout: texts[0]!, stderr: texts[1]!};
}

test('--help needs nothing installed or built, and names every variable of the configuration', async () => {
  const root = temporaryFolder();
  cpSync(scripts, join(root, 'scripts'), {recursive: true});
  cpSync(join(scripts, '../src/variables.json'), join(root, 'src/variables.json'));
  const end = await npmStart(['--help'], {}, join(root, 'scripts'));
  expect([end.code, end.stderr]).toEqual([0, '']);
  const printed = JSON.parse((await npmStart(['--print-config'])).stdout) as object;
  expect(Object.keys(printed).length).toBeGreaterThan(10);
  for (const name of [...variables.keys(), '--print-config']) {
    expect(end.stdout).toContain(name);
  }
  expect(readdirSync(root).sort()).toEqual(['scripts', 'src']);
});

test('--print-config prints what a start would use, without secrets, and starts nothing', async () => {
  const dataDir = join(temporaryFolder(), 'never-made');
  const end = await npmStart(['--print-config'], {
    DATA_DIR: dataDir,
    PORT: '1234',
    REPORT_REFRESH_SECONDS: '0.5',
    ADMIN_TOKEN: 'hidden-hidden-hidden',
    BOOTSTRAP_WRITE_KEY: 'sk_write_hidden0123456789',
    NATS_URL: 'nats://user:hidden@host:4222',
  });
  expect([end.code, end.stderr]).toEqual([0, '']);
  expect(JSON.parse(end.stdout)).toMatchObject({
    port: 1234,
    host: '127.0.0.1',
    dataDir,
    reportRefresh: {firstHourMs: 500, laterMs: 500},
    adminToken: 'set',
    bootstrapWriteKey: 'set',
    bootstrapSecretKey: 'unset',
    nats: {kind: 'external', servers: ['nats://host:4222']},
  });
  expect(end.stdout).not.toContain('hidden');
  expect(existsSync(dataDir)).toBe(false);
});

test('an unknown option is refused, and starts nothing', async () => {
  for (const words of [['--print-confg'], ['--print-config', 'more']]) {
    const end = await npmStart(words);
    expect([end.code, end.stdout]).toEqual([1, '']);
    expect(end.stderr).toMatch(/^millrace: unknown option [^\n]+\n$/);
  }
});

test('npm start and the image run Node with the flags that are tested and measured', () => {
  const read = (name: string): string => readFileSync(join(scripts, '..', name), 'utf8');
  const {scripts: commands} = JSON.parse(read('package.json')) as {scripts: {start: string}};
  expect(commands.start).toBe(`exec node ${[...nodeFlags, 'scripts/start.mjs'].join(' ')}`);
  expect(read('Dockerfile')).toContain(
    `CMD ${JSON.stringify([...nodeFlags, 'dist/service/main.js']).replaceAll(',', ', ')}`,
  );
  expect(read('ops/millrace.service')).toContain(
    `ExecStart=/usr/bin/node ${nodeFlags.join(' ')} dist/service/main.js\n`,
  );
});
