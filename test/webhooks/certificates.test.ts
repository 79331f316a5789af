// Receivers with TLS: one with a wrong certificate is sent nothing.
import {once} from 'node:events';
import {createServer, type Server} from 'node:https';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {Addresses} from '../../src/webhooks/addresses.js';
import {Poster} from '../../src/webhooks/post.js';
import {hasOpenssl, selfSigned} from '../support/certificate.js';

if (!hasOpenssl)
  console.warn('CERTIFICATES OF RECEIVERS ARE NOT TESTED: there is no openssl from 1.1.1 on to make one with');

describe.skipIf(!hasOpenssl)('a receiver with TLS', () => {
  let server: Server;
  let port: number;
  let certificate: string;
  let requests = 0;

  beforeAll(async () => {
    const {cert, key} = selfSigned('DNS:receiver.example');
    certificate = cert;
    server = createServer({cert, key}, (_, response) => {
      requests += 1;
      response.writeHead(204).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as {port: number}).port;
  });

  afterAll(() => {
    server.close();
  });

  async function send(host: string, isTrusted: boolean) {
    const addresses = new Addresses({allowed: ['127.0.0.1'], allowsHttp: false}, (_, __, callback) =>
      callback(null, [{address: '127.0.0.1', family: 4}]),
    );
    const poster = new Poster({addresses, wallMs: Date.now, ...(isTrusted && {ca: certificate})});
    const before = requests;
    let isAsked = false;
    const outcome = await poster.post(`https://${host}:${port}/`, async () => {
      isAsked = true;
      return {headers: {}, body: '{}'};
    });
    poster.close();
    return {outcome, isAsked, requests: requests - before};
  }

  test('takes what is sent to its name', async () => {
    const delivered = {kind: 'delivered', status: 204};
    expect(await send('receiver.example', true)).toEqual({outcome: delivered, isAsked: true, requests: 1});
  });

  test.each([
    ['whose certificate nobody trusts', 'receiver.example', false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['whose certificate is of another name', 'other.example', true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('%s is sent nothing', async (_, host, isTrusted, code) => {
    const failed = {kind: 'failed', why: `the connection failed (${code})`};
    expect(await send(host, isTrusted)).toEqual({outcome: failed, isAsked: false, requests: 0});
  });
});
