// The receivers of docs/webhooks.md, as they stand there.
import {spawn, spawnSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {Addresses} from '../../src/webhooks/addresses.js';
import {Poster} from '../../src/webhooks/post.js';
import {newSecret, signatures} from '../../src/webhooks/signature.js';
import {freePort} from '../../tools/chaos/free-port.js';
import {temporaryFolder} from '../support/service.js';
import {until} from '../support/until.js';

const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
const codeIn = (language: string): string => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)![1]!;
const secret = newSecret();
const body = '{"type":"test","data":{"name":"Zoë"}}';
const nowSeconds = Math.floor(Date.now() / 1_000);

const headersOf = (seconds: number, secrets: readonly string[]) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(seconds),
  'webhook-signature': signatures(secrets, 'msg_1', seconds, body),
});

test('the one in Node takes what is signed, by either of two secrets, and refuses what is not, or is old', async () => {
  const file = join(temporaryFolder(), 'receiver.mjs');
  writeFileSync(file, codeIn('js'));
  const port = await freePort();
  const receiver = spawn(process.execPath, [file], {env: {WEBHOOK_SECRET: secret, PORT: String(port)}});
  let said = '';
  receiver.stdout.on('data', (bytes) => {
    said += bytes;
  });
  const poster = new Poster({addresses: new Addresses({allowed: ['127.0.0.1'], allowsHttp: true}), wallMs: Date.now});
  try {
    const post = (headers: Record<string, string>) =>
      poster.post(`http://127.0.0.1:${port}/`, async () => ({headers, body}));
    const signed = headersOf(nowSeconds, [newSecret(), secret]);
    await until('it listens', async () => !('why' in (await post({}))));
    expect(await post(signed)).toEqual({kind: 'delivered', status: 204});
    expect(await post(signed)).toEqual({kind: 'delivered', status: 204});
    expect(await post(headersOf(nowSeconds, [newSecret()]))).toEqual({kind: 'failed', status: 400});
    expect(await post(headersOf(nowSeconds - 3_600, [secret]))).toEqual({kind: 'failed', status: 400});
    expect(await post({...signed, 'webhook-id': 'msg_2'})).toEqual({kind: 'failed', status: 400});
    await until('it has said so', () => said !== '');
    expect(said).toBe('test msg_1\n'); // Once.
  } finally {
    receiver.kill();
    poster.close();
  }
});

const hasPython = spawnSync('python3', ['--version']).status === 0;

test.skipIf(!hasPython)('the one in Python does, too', () => {
  const cases = [
    headersOf(nowSeconds, [newSecret(), secret]),
    headersOf(nowSeconds, [newSecret()]),
    headersOf(nowSeconds - 3_600, [secret]),
  ];
  const program = `${codeIn('python')}
import json, sys
asked = json.load(sys.stdin)
print(json.dumps([is_signed(headers, asked["body"].encode()) for headers in asked["cases"]]))`;
  const {stdout} = spawnSync('python3', ['-c', program], {
    env: {PATH: process.env.PATH, WEBHOOK_SECRET: secret},
    input: JSON.stringify({body, cases}),
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toEqual([true, false, false]);
});
