// One attempt to send a mail, to a server on loopback.

import {once} from 'node:events';
import {createServer, type Server} from 'node:net';
import {afterEach, describe, expect, test} from 'vitest';
import {Mailer, type MailServer} from '../../src/mail/mailer.js';
import {hasOpenssl, selfSigned} from '../support/certificate.js';
import {type MailReceiver, startMailReceiver} from '../support/mail-receiver.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function receiver(options: Parameters<typeof startMailReceiver>[0] = {}): Promise<MailReceiver> {
  const started = await startMailReceiver(options);
  ends.push(() => started.stop());
  return started;
}

const from = {address: 'stats@example.com', name: 'Millrace'};
const serverAt = (port: number, more: Partial<MailServer> = {}): MailServer => ({
  ...{host: '127.0.0.1', port, isTls: false, from},
  ...more,
});
const mail = {
  id: 'msg_1.wh_0123456789abcdef',
  timestampMs: Date.UTC(2026, 5, 8, 7),
  subject: 'Weekly digest: Orders',
  text: 'ordered 120',
  html: '<p>ordered 120</p>',
};
const ann = 'mailto:ann@example.com';

test('a mail comes once, as text and as HTML, under the id of its message', async () => {
  const {port, mails} = await receiver();
  const mailer = new Mailer({server: serverAt(port)});
  expect(await mailer.send(ann, async () => mail)).toEqual({kind: 'delivered', status: 250});
  const [{text, ...envelope}, ...others] = mails as [(typeof mails)[number]];
  expect(others).toEqual([]);
  expect(envelope).toEqual({from: 'stats@example.com', to: ['ann@example.com'], isTls: false});
  for (const line of [
    'From: Millrace <stats@example.com>',
    'To: ann@example.com',
    'Subject: Weekly digest: Orders',
    'Message-ID: <msg_1.wh_0123456789abcdef@example.com>',
    'Date: Mon, 08 Jun 2026 07:00:00 +0000',
    'Auto-Submitted: auto-generated',
    'ordered 120',
    '<p>ordered 120</p>',
  ])
    expect(text.split('\r\n')).toContain(line);
});

test('a subject with line breaks adds no header and no recipient', async () => {
  const {port, mails} = await receiver();
  const subject = 'Digest\r\nBcc: eve@example.com\r\n\r\nbody';
  await new Mailer({server: serverAt(port)}).send(ann, async () => ({...mail, subject}));
  expect(mails[0]!.to).toEqual(['ann@example.com']);
  expect(mails[0]!.text).not.toMatch(/^Bcc:/m);
});

test('to a target that is no address nothing is sent', async () => {
  const {port, mails} = await receiver();
  const mailer = new Mailer({server: serverAt(port)});
  for (const target of ['mailto:ann@example.com,eve@example.com', 'https://example.com/', 'mailto:'])
    expect(await mailer.send(target, async () => mail)).toEqual({kind: 'failed', why: 'it is no mail address'});
  expect(mails).toEqual([]);
});

test('what is erased before the server takes mails is not sent', async () => {
  const {port, mails} = await receiver();
  expect(await new Mailer({server: serverAt(port)}).send(ann, async () => undefined)).toEqual({kind: 'erased'});
  expect(mails).toEqual([]);
});

test('a fault of the message is the caller’s', async () => {
  const {port} = await receiver();
  const fault = new Error('the owner is away');
  await expect(new Mailer({server: serverAt(port)}).send(ann, () => Promise.reject(fault))).rejects.toBe(fault);
});

test.each([
  ['from', 550, {kind: 'failed', status: 550, isFinal: true}],
  ['to', 550, {kind: 'failed', status: 550, isFinal: true}],
  ['to', 451, {kind: 'failed', status: 451}],
  ['data', 554, {kind: 'failed', status: 554, isFinal: true}],
  ['data', 452, {kind: 'failed', status: 452}],
] as const)('a refusal at %s with %i is %j', async (step, status, outcome) => {
  const {port} = await receiver({refusals: new Map([[step, status]])});
  expect(await new Mailer({server: serverAt(port)}).send(ann, async () => mail)).toEqual(outcome);
});

describe('a server that does not answer', () => {
  async function silent(greeting: string, isEnded = false): Promise<number> {
    const server: Server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(greeting);
      if (isEnded) socket.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(async () => void server.close());
    return (server.address() as {port: number}).port;
  }
  const send = (port: number) => new Mailer({server: serverAt(port), msMax: 300}).send(ann, async () => mail);

  test('from the start, or after its greeting, is waited for so long', async () => {
    for (const greeting of ['', '220 here\r\n'])
      expect(await send(await silent(greeting))).toMatchObject({
        kind: 'failed',
        why: expect.stringMatching(/in time|longer/),
      });
  });

  test('or ends the connection is a failure, whose reason repeats nothing that it said', async () => {
    const outcome = await send(await silent('220 secret words\r\n', true));
    expect(outcome.kind).toBe('failed');
    expect(JSON.stringify(outcome)).not.toContain('secret words');
  });

  test('or is not there is one', async () => {
    const {port, stop} = await startMailReceiver();
    await stop();
    expect(await send(port)).toEqual({
      kind: 'failed',
      why: expect.stringMatching(/^the connection to the mail server failed \(E/),
    });
  });
});

describe.skipIf(!hasOpenssl)('TLS', () => {
  const {cert, key} = hasOpenssl ? selfSigned('DNS:localhost') : {cert: '', key: ''};
  const login = {user: 'stats', password: 'hidden-words'};
  const [atStart, later] = [true, false].map((isFromStart) => ({cert, key, isFromStart}));
  const send = (server: MailServer, ca?: string) =>
    new Mailer({server, ...(ca !== undefined && {ca})}).send(ann, async () => mail);

  test('carries a password, from the start on or by STARTTLS, with a certificate that holds', async () => {
    for (const [tls, isTls] of [
      [atStart!, true],
      [later!, false],
    ] as const) {
      const {port, mails} = await receiver({tls, login});
      expect(await send(serverAt(port, {host: 'localhost', isTls, login}), cert)).toMatchObject({kind: 'delivered'});
      expect(mails.map((one) => one.isTls)).toEqual([true]);
      expect(await send(serverAt(port, {host: 'localhost', isTls, login}))).toMatchObject({kind: 'failed'});
      expect(mails).toHaveLength(1);
    }
  });

  test('is a condition of a password: without it none is sent', async () => {
    const {port, mails} = await receiver({login});
    expect(await send(serverAt(port, {login}))).toMatchObject({kind: 'failed', why: expect.stringContaining('TLS')});
    expect(mails).toEqual([]);
  });

  test('is used without a password, too, whatever the certificate', async () => {
    const {port, mails} = await receiver({tls: later!});
    expect(await send(serverAt(port))).toMatchObject({kind: 'delivered'});
    expect(mails.map((one) => one.isTls)).toEqual([true]);
  });

  test('with a wrong password is tried again: the login is the operator’s to mend', async () => {
    const {port} = await receiver({tls: atStart!, login});
    const wrong = {...login, password: 'others'};
    expect(await send(serverAt(port, {host: 'localhost', isTls: true, login: wrong}), cert)).toEqual({
      kind: 'failed',
      status: 535,
    });
  });
});
