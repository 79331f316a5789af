// More than the service may hold at once: large uploads that do not end. What is past the bound is refused at once, small
// requests go on, and memory stays flat.
import {readFileSync} from 'node:fs';
import {connect, type Socket} from 'node:net';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {Client, expectJson} from '../support/http.js';
import {type Service, startService} from '../support/service.js';
import {until} from '../support/until.js';

const mib = 1_048_576;
/** Of `src/edge/body-budget.ts`: large bodies, and all of them. */
const largeMibMax = 96;
let service: Service;

beforeAll(async () => {
  service = await startService();
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

const residentMib = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))![1]) / 1_024;

interface Upload {
  readonly socket: Socket;
  answer: string;
  isClosed: boolean;
}

/** Sends all but the end of a body of 10 MiB, and then nothing more. */
function startUpload(): Upload {
  const {hostname, port} = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  const upload: Upload = {socket, answer: '', isClosed: false};
  socket.on('error', () => {}); // Closed while it still sends, which may cost it the answer.
  socket.once('close', () => {
    upload.isClosed = true;
  });
  socket.on('data', (part: string) => {
    upload.answer += part;
  });
  const head = ['POST /v1/events/batch HTTP/1.1', 'Host: x', `Authorization: Bearer ${service.writeKey}`];
  socket.write([...head, 'Content-Type: application/json', `Content-Length: ${10 * mib}`, '', ''].join('\r\n'));
  socket.write(Buffer.alloc(9 * mib, ' '));
  return upload;
}

test('eighty uploads of 10 MiB that do not end: few are held, the others are refused, small ones are served', async () => {
  const before = residentMib();
  const uploads = Array.from({length: 80}, startUpload);
  const refused = (): Upload[] => uploads.filter(({answer, isClosed}) => isClosed || answer.includes('"unavailable"'));
  const held = Math.floor(largeMibMax / 10);
  await until('all but those that are held are refused', () => refused().length >= uploads.length - held);
  const answered = refused().filter(({answer}) => answer !== '');
  for (const {answer} of answered) {
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/\r\nRetry-After: \d+\r\n/);
  }
  const client = new Client(service.baseUrl, service.writeKey);
  for (let i = 0; i < 20; i++) expectJson(await client.post('/v1/events', {event: 'small', userId: 'small'}), 200);
  const events = Array.from({length: 1_000}, (_, i) => ({
    event: 'mid',
    userId: `u${i}`,
    properties: {x: 'y'.repeat(500)},
  }));
  expectJson(await client.post('/v1/events/batch', {events}), 200);
  // The bound, and what a garbage collector has not come round to yet.
  expect(residentMib() - before).toBeLessThan(2.5 * largeMibMax);
  for (const {socket} of uploads) socket.destroy();
  await until('a large body is taken again', async () => {
    const large = Array.from({length: 60}, (_, i) => ({
      event: 'l',
      userId: `u${i}`,
      properties: {x: 'y'.repeat(40_000)},
    }));
    return (await client.post('/v1/events/batch', {events: large})).status === 200;
  });
});
