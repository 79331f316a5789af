// Somebody else on the same NATS asks the roles what is no question.
import {afterAll, beforeAll, expect, test} from 'vitest';
import {askPartitionSubject, askReportSubject} from '../src/asks/subjects.js';
import {connectNats} from '../src/nats/client/connection.js';
import {Client} from './support/http.js';
import {startTestNats, type TestNats} from './support/nats.js';
import {type Service, startService} from './support/service.js';
import {until} from './support/until.js';

let nats: TestNats;
let service: Service;

beforeAll(async () => {
  nats = await startTestNats(1);
  const {servers, token} = nats.nats.address;
  service = await startService({env: {NATS_URL: [servers].flat().join(','), NATS_TOKEN: token!, PARTITIONS: '1'}});
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
  await nats.stop();
});

test.each([askPartitionSubject(0), askReportSubject])(
  'no MessagePack on %s is not answered, and harms nobody',
  async (subject) => {
    const connection = await connectNats(nats.nats.address, 'test-stranger');
    await expect(connection.request(subject, 'no MessagePack', {timeout: 500})).rejects.toThrow('timeout');
    await connection.close();
    const nobody = new Client(service.baseUrl);
    await until('all roles answer', async () => (await nobody.get('/readyz')).status === 200);
  },
);
