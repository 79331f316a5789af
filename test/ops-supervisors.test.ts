// What Docker and systemd run: the parts of it that can be run without them are run as they stand in the files.
import {type ChildProcess, execFile, spawn, spawnSync} from 'node:child_process';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {afterAll, beforeEach, describe, expect, test} from 'vitest';
import {connectNats} from '../src/nats/client/connection.js';
import {freePort} from '../tools/chaos/free-port.js';
import {hasOwnNats, temporaryFolder} from './support/service.js';
import {until} from './support/until.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const compose = read('docker-compose.yml');

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** The lines of a block of YAML, without what they are set in by. */
function blockBehind(opening: RegExp): string {
  const [line] = opening.exec(compose) ?? [];
  if (line === undefined) throw new Error(`docker-compose.yml has nothing like ${opening}`);
  const lines = compose
    .slice(compose.indexOf(line) + line.length)
    .split('\n')
    .slice(1);
  const depth = lines[0]!.search(/\S/);
  const end = lines.findIndex((each) => each.trim() !== '' && each.search(/\S/) < depth);
  return lines
    .slice(0, end < 0 ? undefined : end)
    .map((each) => each.slice(depth))
    .join('\n');
}

describe('docker-compose.yml', () => {
  test.skipIf(!hasOwnNats)('gives NATS a token that lets in Millrace and nobody else, and keeps it', async () => {
    const folder = temporaryFolder();
    for (const name of ['secrets', 'data', 'etc/nats']) mkdirSync(join(folder, name), {recursive: true});
    const script = blockBehind(/^ {4}command:\n {6}- \|$/m)
      .replaceAll('$$', '$')
      .replaceAll(/\/(secrets|data)\b/g, `${folder}/$1`)
      .replace(/^chown .*$/m, ''); // Only root can, and only root runs it there.
    const prepare = (): string => {
      expect(spawnSync('sh', ['-euc', script], {encoding: 'utf8'})).toMatchObject({status: 0, stderr: ''});
      return readFileSync(join(folder, 'secrets/nats-token'), 'utf8').trim();
    };
    const token = prepare();
    expect(token).toMatch(/^[A-Za-z0-9+/=]{32}$/);
    expect(prepare()).toBe(token);

    const port = await freePort();
    const configuration = blockBehind(/^ {4}content: \|$/m)
      .replace('port: 4222', `listen: "127.0.0.1:${port}"`)
      .replace('http_port: 8222', `http: "127.0.0.1:${await freePort()}"`)
      .replace('store_dir: /data', `store_dir: "${folder}/data"`);
    const path = join(folder, 'etc/nats/millrace.conf');
    writeFileSync(path, configuration);
    const nats = spawn(process.env.NATS_SERVER_BIN!, ['-c', path], {stdio: 'ignore'});
    children.push(nats);
    const servers = [`nats://127.0.0.1:${port}`];
    const nc = await until('NATS takes the token', () =>
      connectNats({servers, token}, 'test').catch(() => {
        if (nats.exitCode !== null) throw new Error(`nats-server ended with ${nats.exitCode}: ${configuration}`);
        return undefined;
      }),
    );
    expect(nc.info).toMatchObject({jetstream: true, auth_required: true});
    await nc.close();
    await expect(connectNats({servers}, 'test')).rejects.toThrow(/authorization/i);
    await expect(connectNats({servers, token: 'another'}, 'test')).rejects.toThrow(/authorization/i);
  });

  test('hands the token to Millrace, and runs images of one version, hardened', () => {
    expect(compose).toContain('NATS_TOKEN_FILE: /secrets/nats-token');
    const services = compose.slice(compose.indexOf('\nservices:'), compose.indexOf('\nconfigs:'));
    const names = [...services.matchAll(/^ {2}([a-z]+):$/gm)].map((match) => match[1]);
    expect(names).toEqual(['prepare', 'nats', 'millrace']);
    expect(services.match(/^ {4}<<: \*hardened$/gm)).toHaveLength(2);
    const hardened = compose.slice(compose.indexOf('&hardened'), compose.indexOf('\nservices:'));
    for (const part of [hardened, services.slice(0, services.indexOf('\n  nats:'))])
      for (const line of ['read_only: true', 'cap_drop: [ALL]', 'security_opt: ["no-new-privileges:true"]'])
        expect(part).toContain(line);
    expect(hardened).toContain('restart: unless-stopped');
    expect(hardened).toContain('max-size: 10m');
    expect(services.match(/^ {4}mem_limit: \$\{[A-Z_]+:-\dg\}$/gm)).toHaveLength(2);
    const images = [...compose.matchAll(/image: (.+)$/gm), ...read('Dockerfile').matchAll(/^FROM (\S+)/gm)];
    expect(images.length).toBeGreaterThan(3);
    for (const [, image] of images) expect(image).toMatch(/^[a-z]+:\d+\.\d+\.\d+-[a-z-]+$/);
  });
});

/** Undefined: there is none. */
const systemd = spawnSync('systemd-analyze', ['--version']).status === 0;

describe('ops/millrace.service', () => {
  beforeEach(({skip}) => skip(!systemd, 'systemd-analyze is not on PATH, so the unit is not read by it'));
  const run = promisify(execFile);

  test('is understood by systemd, and leaves little open', async () => {
    const unit = join(temporaryFolder(), 'millrace.service');
    writeFileSync(unit, read('ops/millrace.service').replace('/usr/bin/node', process.execPath));
    const {stderr} = await run('systemd-analyze', ['verify', unit]);
    expect(stderr.split('\n').filter((line) => line.includes(dirname(unit)))).toEqual([]);
    const {stdout} = await run('systemd-analyze', ['security', '--offline=true', '--threshold=25', unit]);
    expect(stdout).toContain('Overall exposure level');
  });

  test('is started again after every failure', () => {
    expect(read('ops/millrace.service')).toContain('\nRestart=on-failure\n');
    expect(read('ops/millrace.service')).not.toContain('RestartPrevent');
  });
});
