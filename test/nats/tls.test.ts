// A server that speaks TLS: asked for by the address, and found out by its greeting.

import {type ChildProcess, execFile, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {temporaryFolder} from '../support/service.js';
import {until} from '../support/until.js';

const run = promisify(execFile);
const connection = new URL('../../dist/src/nats/client/connection.js', import.meta.url).href;
const root = fileURLToPath(new URL('../..', import.meta.url));
const hasOpenssl = String(spawnSync('openssl', ['req', '-help']).stderr).includes('-addext');
if (!hasOpenssl)
  console.warn('NATS OVER TLS IS NOT TESTED: there is no openssl from 1.1.1 on to make a certificate with');

/** Sends itself a message that no single read brings; says how it came. */
const program = `
  const {connectNats} = await import(process.argv[1]);
  const nc = await connectNats({servers: [process.argv[2]]}, 'test');
  const sent = new Uint8Array(700_000).map((_, i) => i % 251);
  const came = new Promise((resolve) => nc.subscribe('a', {callback: (_, {data}) => resolve(data)}));
  nc.publish('a', sent);
  console.log(nc.info.tls_required, Buffer.from(sent).equals(await came));
  await nc.close();
`;

describe.skipIf(!hasOpenssl)('a nats-server with TLS', () => {
  const folder = temporaryFolder();
  const certificate = join(folder, 'cert.pem');
  let server: ChildProcess | undefined;
  let port: number;

  beforeAll(async () => {
    const key = join(folder, 'key.pem');
    const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=test'];
    // By which name the client looks a server up that is reached by its number.
    const names = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate];
    await run('openssl', [...words, ...names]);
    const configuration = join(folder, 'nats.conf');
    writeFileSync(configuration, `listen: "127.0.0.1:-1"\ntls {cert_file: "${certificate}", key_file: "${key}"}\n`);
    server = spawn(process.env.NATS_SERVER_BIN!, ['-c', configuration], {stdio: ['ignore', 'ignore', 'pipe']});
    let said = '';
    server.stderr!.on('data', (text) => {
      said += String(text);
    });
    const listening = () => /Listening for client connections on 127\.0\.0\.1:(\d+)[\s\S]*Server is ready/.exec(said);
    port = Number((await until('it listens', () => listening() ?? undefined))[1]);
  });

  afterAll(async () => {
    if (server === undefined || server.exitCode !== null) return;
    const ended = once(server, 'exit');
    server.kill();
    await ended;
  });

  test.each(['tls://', ''])('is reached by %s127.0.0.1', async (scheme) => {
    const words = ['--input-type=module', '-e', program, connection, `${scheme}127.0.0.1:${port}`];
    const env = {...process.env, NODE_EXTRA_CA_CERTS: certificate};
    const {stdout} = await run(process.execPath, words, {cwd: root, env, timeout: 60_000});
    expect(stdout).toBe('true true\n');
  });

  test('is refused where its certificate is not trusted', async () => {
    const words = ['--input-type=module', '-e', program, connection, `127.0.0.1:${port}`];
    const failed = run(process.execPath, words, {cwd: root, timeout: 60_000});
    await expect(failed).rejects.toThrow(/self-signed certificate/);
  });
});
