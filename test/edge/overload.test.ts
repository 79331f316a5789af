// More than the service may hold at once, or than its log can soon have. What is past the bounds is refused at once or
// waits its turn, what was begun is finished, small requests go on, and memory stays flat.
import {readFileSync} from 'node:fs';
import {connect, type Socket} from 'node:net';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {bodyMsMax} from '../../src/edge/admission/body.js';
import {waitingMsMax} from '../../src/edge/admission/intake.js';
import {Client, expectJson} from '../support/http.js';
import {scrape} from '../support/metrics.js';
import {type Service, startService} from '../support/service.js';
import {until} from '../support/until.js';

const mib = 1_048_576;
/** Of `src/edge/admission/body-budget.ts`: large bodies, and all of them. */
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
  /** When the first of its bytes left, and when its answer, or its close, was first heard of. */
  readonly sentMs: number;
  answeredMs: number;
}

/** Sends all but the end of a body of 10 MiB, and then nothing more. */
const startUpload = (): Upload => upload(10 * mib, Buffer.alloc(9 * mib, ' '));

/** Sends the head and a part of a batch's body. */
function upload(bodyBytes: number, part: Uint8Array): Upload {
  const {hostname, port} = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  const upload: Upload = {socket, answer: '', isClosed: false, sentMs: performance.now(), answeredMs: 0};
  socket.on('error', () => {}); // Closed while it still sends, which may cost it the answer.
  socket.once('close', () => {
    upload.isClosed = true;
    upload.answeredMs ||= performance.now();
  });
  socket.on('data', (text: string) => {
    upload.answeredMs ||= performance.now();
    upload.answer += text;
  });
  const head = ['POST /v1/events/batch HTTP/1.1', 'Host: x', `Authorization: Bearer ${service.writeKey}`];
  socket.cork(); // Else the head is seen before any of the body is there.
  socket.write([...head, 'Content-Type: application/json', `Content-Length: ${bodyBytes}`, '', ''].join('\r\n'));
  socket.write(part);
  socket.uncork();
  return upload;
}

/**
 * What is admitted is counted in bytes. Bodies of a thousand small events have as many bytes and ten times the work, and who
 * waits for longer than 5 s is refused: a machine that is busy otherwise would take too long for so many of them.
 */
const batchEvents = 50;

/** Some 215 KB. */
function batchOf(event: string): Buffer {
  const events = Array.from({length: batchEvents}, (_, i) => ({
    event,
    userId: `u${i}`,
    timestamp: '2026-01-02T03:04:05.678Z',
    properties: {x: 'y'.repeat(4_200)},
  }));
  return Buffer.from(JSON.stringify({events}));
}

const isAnswered = ({answer}: Upload): boolean => answer.includes('\r\n\r\n') && answer.endsWith('}');
const isStored = ({answer}: Upload): boolean => answer.startsWith('HTTP/1.1 200 ');

/**
 * They are stored, and nothing else of this event is. Who waited for 5 s is refused, as it should be: on a busy machine that
 * may be some of them, and nobody sooner. All that were begun are held from the moment when memory is used up, which may be
 * long before this process has come round to sending the rest of the last.
 */
async function expectFinished(event: string, uploads: readonly Upload[]): Promise<void> {
  const [stored, others] = [uploads.filter(isStored), uploads.filter((one) => !isStored(one))];
  for (const one of others) {
    const heldMs = one.answeredMs - one.sentMs;
    expect(heldMs, one.answer).toBeGreaterThanOrEqual(waitingMsMax);
    if (one.answer === '') continue; // Closed with a part of the body unread, which may cost it the answer.
    if (heldMs < bodyMsMax) expectRefusal(one);
    else expect(one.answer).toMatch(/^HTTP\/1\.1 (?:408|503) /);
  }
  expect(stored.length).toBeGreaterThan(uploads.length / 2);
  await expectStored(event, stored.length);
}

/** Exactly what was answered 200 is stored: of each of these batches all or nothing. */
async function expectStored(event: string, batches: number): Promise<void> {
  const client = new Client(service.baseUrl, service.secretKey);
  const path = `/v1/reports/events?event=${event}&from=2026-01-02&to=2026-01-02&interval=day`;
  const total = async (): Promise<number> => (await client.get(path)).json<{total: number}>().total;
  await until(`${batches} batches of ${event} are counted`, async () => (await total()) >= batches * batchEvents);
  expect(await total()).toBe(batches * batchEvents);
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

test('two hundred batches at once are taken one after the other, and nobody is refused before 5 s', async () => {
  const body = batchOf('burst');
  const uploads = Array.from({length: 200}, () => upload(body.length, body));
  await until('all are answered', () => uploads.every(isAnswered));
  await expectFinished('burst', uploads);
  for (const {socket} of uploads) socket.destroy();
});

const isOver = (one: Upload): boolean => isAnswered(one) || one.isClosed;

/** Batches that the service has heard of, and those of them that it has answered; requests that are open, the look itself among them. */
async function batchesSeen(): Promise<{seen: number; answered: number; open: number; waitingBytes: number}> {
  const metrics = await scrape(service.baseUrl); // One look: all of it is of the same moment.
  const answered =
    metrics.sum('millrace_http_requests_total', {route: '/v1/events/batch'}) +
    metrics.sum('millrace_http_requests_unanswered_total');
  const waitingBytes = metrics.sum('millrace_bytes_in_flight', {where: 'intake'});
  const open = metrics.sum('millrace_http_requests_open');
  return {seen: answered + open, answered, open, waitingBytes};
}

/** Requests of clients that left are counted when the service notices, which may be among those of the next test. */
const untilNobodyElse = (): Promise<unknown> =>
  until('the service knows that the others have left', async () => (await batchesSeen()).open <= 1);

/** Sends parts of so many more batches, onto `uploads`; resolves when each is begun, or refused and known to be. */
async function beginMore(uploads: Upload[], count: number, body: Buffer, partBytes: number): Promise<void> {
  const before = await batchesSeen(); // Those of the groups before are open.
  const overBefore = uploads.filter(isOver).length;
  for (let i = 0; i < count; i++) uploads.push(upload(body.length, body.subarray(0, partBytes)));
  await until('all have come, and each is begun or refused', async () => {
    const {seen, answered, waitingBytes} = await batchesSeen();
    const areKnown = uploads.filter(isOver).length - overBefore >= answered - before.answered;
    return waitingBytes === 0 && seen - before.seen >= count && areKnown;
  });
}

function expectRefusal({answer}: Upload): void {
  expect(answer).toMatch(/^HTTP\/1\.1 503 .*\r\n(?:.+\r\n)*Retry-After: \d+\r\n/);
}

test('of seven hundred batches that are half read those that were begun are finished, the others are told when to come back', async () => {
  const body = batchOf('half');
  const half = body.length >> 1;
  await untilNobodyElse();
  const before = residentMib();
  const uploads: Upload[] = [];
  await beginMore(uploads, 700, body, half);
  const begun = uploads.filter((one) => !isOver(one));
  expect(begun.length).toBeLessThanOrEqual(128 / 0.25); // MiB, and what the buffer of one takes.
  expect(residentMib() - before).toBeLessThan(2.5 * 128);
  for (const one of begun) one.socket.write(body.subarray(half));
  await until('every one is answered', () => uploads.every(isOver));
  // Those that came when all was held are refused with a part of the body unread, which may cost one the answer.
  const refused = uploads.filter((one) => !begun.includes(one) && isAnswered(one));
  for (const one of refused) expectRefusal(one);
  expect(begun.length + refused.length).toBeGreaterThan(0.95 * uploads.length);
  await expectFinished('half', begun);
  for (const {socket} of uploads) socket.destroy();
});

test('batches for which there is not memory enough together are finished one after the other, once they are begun', async () => {
  const body = batchOf('begun');
  const first = body.length >> 3; // Holds half of the memory that all of it takes.
  await untilNobodyElse();
  const before = residentMib();
  const uploads: Upload[] = [];
  for (let group = 0; group < 4; group++) await beginMore(uploads, 140, body, first); // So many may wait; all at once may not.
  // What the test before left to fold may have kept some waiting for 5 s; nobody was refused sooner.
  for (const one of uploads.filter((each) => !isOver(each))) one.socket.write(body.subarray(first));
  await until('every one is answered', () => uploads.every(isOver));
  expect(residentMib() - before).toBeLessThan(2.5 * 128);
  await expectFinished('begun', uploads);
  for (const {socket} of uploads) socket.destroy();
});
