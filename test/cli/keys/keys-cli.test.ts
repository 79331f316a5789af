// The program as an operator runs it, against a running service and against none.
import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {Client, expectError, expectJson} from '../../support/http.js';
import {type Service, startService, temporaryFolder} from '../../support/service.js';

const program = fileURLToPath(new URL('../../../dist/service/cli/keys.js', import.meta.url));

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function keys(dataDir: string, ...words: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const env = {PATH: process.env.PATH, DATA_DIR: dataDir};
    execFile(process.execPath, [program, ...words], {env}, (error, out, err) => {
      resolve({code: error === null ? 0 : Number(error.code), out, err});
    });
  });
}

describe('on a running service', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
  });

  afterAll(async () => {
    expect(await service.stop()).toBe(0);
  });

  test('a key is created, works, is listed without its secret part, and is refused once revoked', async () => {
    const created = await keys(service.dataDir, 'create', '--kind', 'secret', '--name', 'back end');
    expect(created.code).toBe(0);
    const key = /^(sk_live_[0-9A-Za-z]{43})\n$/.exec(created.out)![1]!; // A script takes it as it is.
    const id = /key_[0-9a-f]+/.exec(created.err)![0];
    const client = new Client(service.baseUrl, key);
    expectJson(await client.get('/v1/events'), 200);

    const listed = await keys(service.dataDir, 'list');
    expect(listed.out).not.toContain(key);
    expect(listed.out.split('\n').find((line) => line.startsWith(id))).toMatch(/secret {2}back end .*active$/);

    const web = await keys(service.dataDir, 'create', '--kind', 'write', '--name', 'web', '--no-identify');
    const webId = /key_[0-9a-f]+/.exec(web.err)![0];
    const limits = ['--origin', 'https://example.com', '--events-per-second-per-address', '20'];
    expect((await keys(service.dataDir, 'list')).out).toMatch(new RegExp(`^${webId}.*active {2}--no-identify$`, 'm'));
    expect((await keys(service.dataDir, 'options', webId, ...limits)).code).toBe(0);
    expect((await keys(service.dataDir, 'list')).out).toMatch(
      new RegExp(`^${webId}.*active {2}${limits.join(' ')}$`, 'm'),
    );

    expect(await keys(service.dataDir, 'revoke', id)).toEqual({code: 0, out: `Key ${id} is revoked.\n`, err: ''});
    expectError(await client.get('/v1/events'), 401, 'invalid_key');
    const active = await keys(service.dataDir, 'list');
    expect(active.out).not.toContain(id);
    expect(active.out).toMatch(/\n1 revoked key is listed with --all\.\n$/);
    const all = await keys(service.dataDir, 'list', '--all');
    expect(all.out).toMatch(new RegExp(`${id}.*\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d {2}revoked \\d{4}-`));
  });

  test('an unknown key is a sentence', async () => {
    expect(await keys(service.dataDir, 'revoke', 'key_0')).toEqual({
      code: 1,
      out: '',
      err: 'The service refused (404): no such key.\n',
    });
  });
});

test('without a service: one sentence, exit code 1', async () => {
  const {code, out, err} = await keys(temporaryFolder(), 'list');
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^No service runs on .*npm start.*\n$/);
});

test('a wrong word: a sentence and the usage, exit code 1', async () => {
  const {code, err} = await keys(temporaryFolder(), 'make');
  expect(code).toBe(1);
  expect(err).toMatch(/^There is no command "make"\.\nUsage:/);
});
