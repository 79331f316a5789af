// Two processes that answer reports beside one NATS: they share each question, and answer as one alone does.
import {connect} from 'nats';
import {afterEach, expect, test} from 'vitest';
import {ServiceProcess} from '../tools/service-process.js';
import {ExternalNats} from './support/external-nats.js';
import {Client} from './support/http.js';
import {Positions, reportCovering} from './support/reports.js';
import {startService, temporaryFolder} from './support/service.js';
import {until} from './support/until.js';

const partitions = '6';
const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const range = 'from=2024-01-01&to=2024-01-03';
const questions = [
  `/v1/reports/events?event=A&interval=day&breakdown=plan&${range}`,
  `/v1/reports/users?metric=dau&${range}`,
  `/v1/reports/funnel?steps[]=A&steps[]=B&${range}`,
];

test('the shares of two processes are the answer of one, also when one of them is killed', async () => {
  const nats = await ExternalNats.start();
  cleanUps.push(() => nats.stop());
  const env = {NATS_URL: nats.url, PARTITIONS: partitions, REPORT_REFRESH_SECONDS: '2', LOG_LEVEL: 'info'};
  const reportProcess = (): ServiceProcess => {
    const process = new ServiceProcess({dataDir: temporaryFolder(), env: {...env, ROLES: 'report'}});
    cleanUps.push(() => process.end('SIGKILL'));
    return process;
  };
  const first = reportProcess();
  const edge = await startService({env: {...env, ROLES: 'edge,partition'}});
  cleanUps.push(() => edge.kill());
  const [writer, reader] = [new Client(edge.baseUrl, edge.writeKey), new Client(edge.baseUrl, edge.secretKey)];
  const positions = new Positions();
  for (let i = 0; i < 120; i++) {
    const timestamp = new Date(Date.UTC(2024, 0, 1, i % 50)).toISOString();
    const event = {event: 'AB'[i % 2]!, userId: `u${i % 30}`, timestamp, properties: {plan: `p${i % 7}`}};
    positions.note(await writer.post('/v1/events', event));
  }
  await reportCovering(reader, questions[0]!, positions);
  const answers = async (): Promise<unknown[]> => {
    const all: unknown[] = [];
    for (const path of questions) {
      const {status, text, headers} = await reader.get(path);
      all.push({status, text, etag: headers.etag});
    }
    return all;
  };
  const alone = await answers();
  expect(alone.map((answer) => (answer as {status: number}).status)).toEqual([200, 200, 200]);

  const nc = await connect({servers: nats.url});
  cleanUps.push(() => nc.close());
  const ids = new Set<string>();
  nc.subscribe('ask.partial.*', {callback: (_, {subject}) => void ids.add(subject)});
  // It has cached nothing, and the edge asks either of them.
  const second = reportProcess();
  await until('shares are asked for', async () => {
    expect(await answers()).toEqual(alone);
    return ids.size > 0;
  });
  for (const subject of ids)
    for (const garbage of ['', '\xc1', '{}']) {
      nc.publish(subject, garbage);
      nc.publish(subject, garbage, {reply: 'nowhere'});
    }
  await nc.flush();
  expect(await answers()).toEqual(alone);

  // The one that is left answers at once what both shared: nobody listens to its questions any more.
  await first.end('SIGKILL');
  const third = `/v1/reports/paths?start=A&${range}`;
  await until('it answers alone', async () => (await reader.get(third)).status === 200);
  expect(await answers()).toEqual(alone);
  expect(second.isRunning).toBe(true);
  expect(await second.end('SIGTERM')).toBe(0);
});
