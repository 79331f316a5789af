// A receiver of webhooks for benches: an HTTP server that costs little, so that the sender is what is measured.
//   RE1. A body is searched for its events, not parsed, unless it is timed. Each hundredth signature is checked.
//   RE2. The webhook with number n posts to `/n`.
//   RE3. A second port accepts connections and never answers.

import uws, {type HttpRequest, type HttpResponse} from 'uWebSockets.js';
import {createServer} from 'node:net';
import {Webhook} from 'standardwebhooks';
import {monotonicMs, wallMs} from '../../src/clock.js';
import {Latencies} from '../load/latency.js';
import type {FromReceiver, Received, ToReceiver} from './messages.js';

const checkedEvery = 100;
/** Once in what is told of each event. */
const eventMark = Buffer.from(',"user_ref":"');
/** Events of the workload that were late when they were sent are so by minutes. */
const lateMsMin = 60_000;

interface TimedBody {
  readonly data: {readonly event: {readonly timestamp: string; readonly received_at: string}};
}

class Tally {
  private readonly verifiers: readonly Webhook[];
  private readonly isTimed: boolean;
  private readonly ids = new Set<string>();
  private readonly latencies = new Latencies();
  private readonly cpuBefore = process.cpuUsage();
  private posts = 0;
  private events = 0;
  private checked = 0;
  private firstMs = 0;
  private lastMs = 0;
  private fault = '';

  constructor(secrets: readonly string[], isTimed: boolean) {
    this.verifiers = secrets.map((secret) => new Webhook(secret));
    this.isTimed = isTimed;
  }

  take(path: string, headers: Readonly<Record<string, string>>, body: Buffer): void {
    this.lastMs = monotonicMs();
    if (this.posts === 0) this.firstMs = this.lastMs;
    this.posts += 1;
    if (this.posts % checkedEvery === 1) this.check(path, headers, body);
    const id = `${path} ${headers['webhook-id']}`;
    if (this.ids.has(id)) return;
    this.ids.add(id);
    this.events += countOf(body);
    if (this.isTimed) this.time(JSON.parse(body.toString('utf8')) as TimedBody);
  }

  private check(path: string, headers: Readonly<Record<string, string>>, body: Buffer): void {
    try {
      this.verifiers[Number(path.slice(1))]!.verify(body, {...headers});
      this.checked += 1;
    } catch (error) {
      this.fault = `a POST to ${path}: ${(error as Error).message}`;
    }
  }

  private time({data: {event}}: TimedBody): void {
    const sentMs = Date.parse(event.timestamp);
    if (Date.parse(event.received_at) - sentMs < lateMsMin) this.latencies.record(wallMs() - sentMs);
  }

  received(): Received {
    const {posts, events, checked, fault, latencies} = this;
    const {user, system} = process.cpuUsage(this.cpuBefore);
    return {
      posts,
      messages: this.ids.size,
      events,
      elapsedMs: this.lastMs - this.firstMs,
      checked,
      latencyMs: latencies.summary(),
      timed: latencies.count,
      cpuSeconds: (user + system) / 1e6,
      fault,
    };
  }
}

function countOf(body: Buffer): number {
  let count = 0;
  for (let at = body.indexOf(eventMark); at >= 0; at = body.indexOf(eventMark, at + eventMark.length)) count += 1;
  return count;
}

let tally = new Tally([], false);

function tell(message: FromReceiver): void {
  process.send!(message);
}

const signedHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

function receive(response: HttpResponse, request: HttpRequest): void {
  const path = request.getUrl();
  const headers = Object.fromEntries(signedHeaders.map((name) => [name, request.getHeader(name)]));
  const pieces: Buffer[] = [];
  response.onAborted(() => {});
  response.onData((chunk, isLast) => {
    // A chunk is only valid inside this call; one that is the whole body needs no copy.
    if (isLast && pieces.length === 0) tally.take(path, headers, Buffer.from(chunk));
    else pieces.push(Buffer.from(chunk.slice(0)));
    if (!isLast) return;
    if (pieces.length > 0) tally.take(path, headers, Buffer.concat(pieces));
    response.cork(() => response.writeStatus('204 No Content').endWithoutBody());
  });
}

function obey(message: ToReceiver): void {
  if (message.kind === 'begin') {
    tally = new Tally(message.secrets, message.isTimed);
    tell({kind: 'begun'});
  } else tell({kind: 'told', received: tally.received()});
}

const silent = createServer((socket) => socket.on('error', () => {}).resume());

silent.listen(0, '127.0.0.1', () => {
  const {port: silentPort} = silent.address() as {port: number};
  const app = uws.App().post('/*', receive);
  app.listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('no port to listen on');
    tell({kind: 'listening', port: uws.us_socket_local_port(socket), silentPort});
  });
});
process.on('message', obey);
// Ends with the benchmark that forked it.
process.on('disconnect', () => process.exit(0));
