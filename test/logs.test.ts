// Process logs: structured, no line a request, no key, and no id or name of a user or an event, at any level.
import {spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {closeSync, existsSync, openSync, readFileSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {hasOpenssl, selfSigned} from './support/certificate.js';
import {Client} from './support/http.js';
import {startMailReceiver} from './support/mail-receiver.js';
import {type Service, startService, temporaryFolder} from './support/service.js';
import {until} from './support/until.js';

const mark = 'zqmark';
const rounds = 200;

test('a log that cannot be written ends nobody, and tells how much is lost when it can', {
  skip: !existsSync('/dev/full'),
}, () => {
  const observe = new URL('../dist/src/observe.js', import.meta.url).href;
  const path = join(temporaryFolder(), 'log');
  const program = `
    const {createLogger} = await import('${observe}');
    const {closeSync, openSync} = await import('node:fs');
    const logger = createLogger('info', 'test');
    for (let i = 0; i < 10; i++) logger.info('to a full disk');
    closeSync(2);
    openSync('${path}', 'w'); // The lowest number that is free.
    logger.info('to one with room');
    setTimeout(() => process.stdout.write('alive'), 100);`;
  const full = openSync('/dev/full', 'w');
  const words = ['--input-type=module', '--eval', program];
  const {status, stdout} = spawnSync(process.execPath, words, {stdio: ['ignore', 'pipe', full], encoding: 'utf8'});
  closeSync(full);
  expect([status, stdout]).toEqual([0, 'alive']);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    {msg: 'to one with room'},
    {lines: 10, msg: 'lines of this log are lost: it could not be written'},
  ]);
});

test('a terminal shows lines for people, with the stack of a fault; anything else gets JSON', {
  skip: !existsSync('/usr/bin/script'),
}, () => {
  const observe = new URL('../dist/src/observe.js', import.meta.url).href;
  const program = join(temporaryFolder(), 'program.mjs');
  writeFileSync(
    program,
    `import {createLogger} from '${observe}';
     const logger = createLogger('info', 'edge');
     logger.warn({count: 2, of: {a: 'b'}}, 'two are late');
     logger.error({err: new Error('no disk')}, 'it failed');`,
  );
  const env = {...process.env, NO_COLOR: '1'};
  const shown = spawnSync('script', ['-qec', `'${process.execPath}' '${program}'`, '/dev/null'], {
    env,
    encoding: 'utf8',
  });
  const lines = shown.stdout.split('\r\n');
  expect(lines[0]).toMatch(/^\[\d\d:\d\d:\d\d\] WARN: edge: two are late \{"count":2,"of":\{"a":"b"\}\}$/);
  expect(lines[1]).toMatch(/^\[.{8}\] ERROR: edge: it failed/);
  expect(shown.stdout).toMatch(/Error: no disk\s+at .*program\.mjs/);
  const kept = spawnSync(process.execPath, [program], {env, encoding: 'utf8'});
  expect(
    kept.stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ).toMatchObject([
    {level: 40, role: 'edge', count: 2, of: {a: 'b'}, msg: 'two are late'},
    {level: 50, role: 'edge', err: {message: 'no disk'}, msg: 'it failed'},
  ]);
});

/** The lines of the log; what people read on stdout is none of it. */
const logLines = (service: Service): string[] =>
  service
    .logs()
    .split('\n')
    .filter((line) => line !== '' && !/^(Millrace listens on|Dashboard:) /.test(line));

async function traffic({baseUrl, writeKey, secretKey, adminToken}: Service): Promise<void> {
  const writer = new Client(baseUrl, writeKey);
  const reader = new Client(baseUrl, secretKey);
  const event = {event: `${mark}-event`, userId: `${mark}-user`, properties: {[`${mark}-p`]: `${mark}-v`}};
  for (let i = 0; i < rounds; i++) {
    await writer.post('/v1/events', {...event, messageId: `${mark}-${i}`});
    await writer.post('/v1/events', {...event, timestamp: `${mark}-never`});
    await writer.post('/v1/events/batch', {events: [event, {...event, userId: `${mark}\u0000`}]});
    await writer.send('POST', '/v1/events', {
      body: `{"event":"${mark}`,
      headers: {'content-type': 'application/json'},
    });
    await reader.get(`/v1/users/${mark}-user?${mark}=1`);
    await reader.get(`/${mark}`);
    await new Client(baseUrl, `sk_live_${mark}`).get('/v1/events');
  }
  await writer.post('/v1/users/identify', {userId: `${mark}-user`, traits: {[`${mark}-t`]: `${mark}-v`}});
  await reader.get(`/v1/events?userId=${mark}-user`);
  await reader.get(`/v1/reports/events?event=${mark}-event&from=2026-01-01&to=2026-12-31&filter=${mark}-p=${mark}-v`);
  await reader.get(`/v1/reports/funnel?steps[]=${mark}-event&from=2026-01-01&to=2026-12-31`);
  await reader.delete(`/v1/users/${mark}-user`);
  const admin = new Client(baseUrl, adminToken);
  const {id} = (await admin.post('/admin/v1/keys', {kind: 'write', name: `${mark}-key`})).json<{id: string}>();
  for (let i = 0; i < 2; i++) await admin.delete(`/admin/v1/keys/${id}`);
  await new Client(baseUrl, `${adminToken}${mark}`).get('/admin/v1/keys');
}

test('nothing of a client is in the log, and no line a request', async () => {
  const service = await startService({
    env: {LOG_LEVEL: 'trace', RATE_LIMIT_READS_PER_MINUTE: '0', REPORT_REFRESH_SECONDS: '60'},
  });
  const before = logLines(service).length;
  await traffic(service);
  // What follows a deletion is in the log by then.
  const reader = new Client(service.baseUrl, service.secretKey);
  await until('the deletion is done', async () => (await reader.get(`/v1/users/${mark}-user`)).status === 404);
  expect(await service.stop()).toBe(0);

  const lines = logLines(service);
  for (const line of lines) {
    const {level, time, role, msg} = JSON.parse(line) as Record<string, unknown>;
    expect([typeof level, typeof time, typeof role, typeof msg], line).toEqual(
      Array(4).fill('string').with(0, 'number'),
    );
  }
  // Wrong keys have a line a second, however long the requests take.
  const others = lines.filter((line) => !line.includes('"audit":"key.refused"'));
  expect(others.length - before).toBeLessThan(rounds / 2);
  const log = lines.join('\n');
  for (const secret of [mark, service.writeKey, service.secretKey, service.adminToken]) {
    expect(log).not.toContain(secret);
  }
  const configurations = lines.filter((line) => line.includes('"msg":"configuration"'));
  expect(configurations).toHaveLength(1);
  expect(JSON.parse(configurations[0]!)).toMatchObject({adminToken: 'set', partitions: 2, logLevel: 'trace'});
  const audited = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({audit}) => audit !== undefined);
  const of = (audit: string) => audited.filter((line) => line.audit === audit);
  expect(of('key.created').map(({by}) => by)).toEqual(['start', 'start', 'admin']);
  expect(of('key.revoked')).toMatchObject([{keyId: of('key.created')[2]!.keyId, kind: 'write', address: '127.0.0.1'}]);
  expect(of('admin.refused')).toMatchObject([{count: 1, address: '127.0.0.1'}]);
  expect(of('user.deleted')).toMatchObject([
    {deletionId: expect.stringMatching(/^del_/), by: of('key.created')[1]!.keyId},
  ]);
  expect(of('key.refused').reduce((sum, {count}) => sum + Number(count), 0)).toBeGreaterThan(0);
  // A stop in good order is nothing to be alarmed about. (What is tried again: a machine that is busy otherwise.)
  const isAlarming = ({level, tried}: {level: number; tried?: string}): boolean => level >= 40 && tried === undefined;
  expect(lines.filter((line) => isAlarming(JSON.parse(line)))).toEqual([]);
});

test('of webhooks and alerts the log has ids of ours: no secret, address, user, name or answer; of X-Forwarded-For without TRUSTED_PROXIES one warning', async () => {
  const bodies: string[] = [];
  // Says things that nobody may repeat: takes, fails once, wants no more.
  let failures = 1;
  const receiver = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    bodies.push(body);
    const isGone = request.url!.includes('gone');
    response.writeHead(isGone ? 410 : failures-- > 0 ? 500 : 200, {[`x-${mark}`]: mark}).end(mark);
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const {port} = receiver.address() as {port: number};
  const login = {user: `${mark}-user`, password: `${mark}-password`};
  const certificate = hasOpenssl ? selfSigned('IP:127.0.0.1') : undefined;
  const mails = await startMailReceiver(certificate && {tls: {...certificate, isFromStart: true}, login});
  const mailServer = `127.0.0.1:${mails.port}`;
  const mailing = {
    MAIL_FROM: 'stats@example.com',
    SMTP_URL: certificate ? `smtps://${login.user}:${login.password}@${mailServer}` : `smtp://${mailServer}`,
    ...(certificate && {NODE_EXTRA_CA_CERTS: certificate.certPath}),
  };
  const service = await startService({
    env: {
      LOG_LEVEL: 'trace',
      PARTITIONS: '1',
      REPORT_REFRESH_SECONDS: '1',
      WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1',
      WEBHOOK_ALLOW_HTTP: '1',
      ...mailing,
    },
  });
  const [writer, reader] = [
    new Client(service.baseUrl, service.writeKey),
    new Client(service.baseUrl, service.secretKey),
  ];
  const forwarded = {'x-forwarded-for': `${mark}, 198.51.100.7`};
  for (let i = 0; i < 3; i++) await writer.send('GET', '/healthz', {headers: forwarded});
  const told = (text: string) => until(`${text} is told`, () => bodies.some((body) => body.includes(text)));
  const create = async (path: string, types: readonly object[], kind = 'webhook') => {
    const url = `http://127.0.0.1:${port}/${mark}-${path}?token=${mark}`;
    return (await reader.post('/v1/webhooks', {kind, url, types})).json<{id: string; secret: string}>();
  };
  const event = `${mark}-event`;
  const all = ['event.tracked', 'user.identified', 'user.deleted', 'report.threshold'].map((type) => ({type}));
  const hook = await create('hook', all);
  const gone = await create('gone', [{type: 'event.tracked', names: [event]}]);
  const chat = await create('chat', [{type: 'report.threshold'}], 'slack');
  const address = `${mark}@example.com`;
  const mail = (
    await reader.post('/v1/webhooks', {kind: 'mail', url: `mailto:${address}`, types: [{type: 'report.threshold'}]})
  ).json<{id: string; url: string}>();
  expect(mail).toMatchObject({url: `mailto:${address}`});
  const rotated = (await reader.post(`/v1/webhooks/${hook.id}/rotate`, {})).json<{secret: string}>();
  const question = {report: 'counts', events: [{event}]};
  const alert = {
    name: `${mark}-alert`,
    kind: 'threshold',
    question,
    minutes: 60,
    gte: 1,
    endpoints: [hook.id, chat.id, mail.id],
  };
  expect((await reader.post('/v1/alerts', alert)).status).toBe(201);
  const userId = `${mark}-user`;
  await until('a user of this id is told of', async () => {
    await writer.post('/v1/users/identify', {userId, traits: {[`${mark}-t`]: `${mark}-v`}});
    return bodies.some((body) => body.includes('user.identified'));
  });
  await writer.post('/v1/events', {event, userId, properties: {[`${mark}-p`]: `${mark}-v`}});
  for (const text of ['event.tracked', 'report.threshold', `Firing: ${mark}-alert`]) await told(text);
  await until('the mail is there', () => mails.mails.length > 0);
  await reader.delete(`/v1/user?userId=${userId}`);
  await told('user.deleted');
  const read = async (path: string) => (await reader.get(path)).text;
  await until('one is disabled', async () => (await read(`/v1/webhooks/${gone.id}`)).includes('"disabled"'));
  const [{to, text, isTls}] = mails.mails as [(typeof mails.mails)[number]];
  expect({to, isTls}).toEqual({to: [address], isTls: certificate !== undefined});
  const mailIds = mails.mails.map((one) => /^Message-ID:\s*(\S+)/im.exec(one.text)?.[1]);
  expect(new Set(mailIds).size).toBe(mails.mails.length);
  expect(text).toContain(`\r\nFiring: ${mark}-alert. `);
  await until('its delivery is listed', async () => {
    const {data} = JSON.parse(await read(`/v1/webhooks/${mail.id}/deliveries`)) as {data: {answer: unknown}[]};
    return data.some(({answer}) => answer === 250);
  });
  const shown = [
    await read('/v1/webhooks'),
    await read(`/v1/webhooks/${hook.id}/deliveries`),
    (await new Client(service.baseUrl).get('/metrics')).text,
  ].join('\n');
  expect(await service.stop()).toBe(0);
  receiver.close();
  await mails.stop();

  const lines = logLines(service);
  const ofForwarding = lines.filter((line) => line.includes('Forwarded')).map((line) => JSON.parse(line) as object);
  expect(ofForwarding).toMatchObject([{level: 40, msg: expect.stringContaining('set TRUSTED_PROXIES')}]);
  const log = lines.join('\n');
  expect(log).toContain('a webhook is disabled');
  const refs = bodies.flatMap((body) => /"user_ref":"([^"]+)"/.exec(body)?.[1] ?? []);
  expect(refs.length).toBeGreaterThan(0);
  const secrets = [hook.secret, gone.secret, rotated.secret];
  for (const secret of [mark, `127.0.0.1:${port}`, mailServer, ...secrets, ...refs]) expect(log).not.toContain(secret);
  for (const secret of [...secrets, login.password]) expect(shown).not.toContain(secret);
  expect(bodies.some((body) => body.includes(mark))).toBe(true);
});
