// `npm run ask` against a running service: docs/api/query.md, On a terminal.
import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {beforeAll, expect, test} from 'vitest';
import {query} from '../support/http.js';
import {reportCovering} from '../support/reports.js';
import {freshId, useSharedService} from './service-under-test.js';

const under = useSharedService();
const program = fileURLToPath(new URL('../../dist/service/cli/ask.js', import.meta.url));
const event = freshId('asked');
const days = ['--from', '2024-06-01', '--to', '2024-06-02'];

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function ask(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  try {
    const {PATH} = process.env;
    return {code: 0, ...(await promisify(execFile)(process.execPath, [program, ...words], {env: {PATH, ...env}}))};
  } catch (error) {
    return error as Ended;
  }
}

beforeAll(async () => {
  const sent = (userId: string, date: string, plan: string) => ({
    event,
    userId,
    timestamp: `${date}T12:00:00Z`,
    properties: {plan},
  });
  await under.trackAll([
    sent('a', '2024-06-01', 'pro'),
    sent('b', '2024-06-02', 'free'),
    sent('b', '2024-06-02', 'pro'),
  ]);
  await reportCovering(under.read, `/v1/names?${query({from: '2024-06-01', to: '2024-06-02'})}`, under.positions);
});

test('with an address and a key, as a table and as JSON', async () => {
  const env = {MILLRACE_URL: under.service.baseUrl, MILLRACE_KEY: under.service.secretKey};
  const [table, json] = await Promise.all([
    ask([event, '--by', 'plan', ...days], env),
    ask([event, '--json', ...days], env),
  ]);
  expect([table.code, table.stderr]).toEqual([0, '']);
  expect(table.stdout.split('\n').slice(0, 3)).toEqual(['total  3  ▅█', 'pro    2  ██', 'free   1  ▁█']);
  expect(JSON.parse(json.stdout)).toMatchObject({answer: {total: 3}, question: {report: 'counts'}});
});

test('on the service of DATA_DIR without a key; what is wrong is a sentence', async () => {
  const env = {DATA_DIR: under.service.dataDir};
  const [own, wrong, keyless] = await Promise.all([
    ask([event, '--users', ...days], env),
    ask([event, '--interval', 'dya'], env),
    ask([event, '--url', under.service.baseUrl]),
  ]);
  expect([own.code, own.stderr, own.stdout.split('\n')[2]]).toEqual([0, '', 'total       2']);
  expect([wrong.code, wrong.stdout]).toEqual([1, '']);
  expect(wrong.stderr).toMatch(/^The service refused \(400\): \/interval must be one of hour, day.*did you mean day/);
  expect([keyless.code, keyless.stderr]).toEqual([1, `Give a read key for ${under.service.baseUrl}: MILLRACE_KEY.\n`]);
  const {keys} = (await under.admin.get('/admin/v1/keys')).json<{keys?: {name: string; revoked_at?: string}[]}>();
  expect((keys ?? []).filter((key) => key.name === 'ask' && key.revoked_at == null)).toEqual([]);
});
