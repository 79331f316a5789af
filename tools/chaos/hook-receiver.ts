// A receiver of webhooks that fails in all ways: a real HTTP server in this process, which outlives the service.
//   HR1. It fails for a delivery once: the second failure would cost minutes (docs/webhooks.md, Retries).
//   HR2. What was not read to its end was not received.

import {once} from 'node:events';
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import {setTimeout as delay} from 'node:timers/promises';
import {Webhook} from 'standardwebhooks';
import type {Random} from '../random.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

const lateMs = 400;
const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) =>
    void response.writeHead(code, headers).end();

/** Answers of 2xx, which may not arrive. */
const takes: Answer = status(204);
const takingWays: Readonly<Record<string, Answer>> = {
  'takes it late': (_, response) => delay(lateMs).then(() => void response.writeHead(200).end('fine')),
  'takes it, and breaks off within its answer': (_, response) => {
    response.writeHead(200, {'content-length': '9'}).write('x', () => response.socket?.resetAndDestroy());
  },
};

/** `stores it, and answers 500`: every way stores what it has read. */
const failingWays: Readonly<Record<string, Answer>> = {
  'stores it, and answers 500': status(500),
  'answers 400': status(400),
  'answers 503 with Retry-After': status(503, {'retry-after': '1'}),
  redirects: status(307, {location: '/redirected'}),
  'resets after it has read': (request) => void request.socket.resetAndDestroy(),
  'ends within its head': (request) => void request.socket.end('HTTP/1.1 200 OK\r\nContent-'),
};

const never = 'never answers';
const unread = 'resets before it has read';
const gone = 'answers 410';
const outage = 'answers 500 for a time';

const lateShare = 0.05;
/** A socket of the endpoint is taken for 15 s. */
const neverAnswersMax = 1;

/** One message, read to its end. */
export interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  /** When its end was read, epoch ms. */
  readonly atMs: number;
  /** The answer is 2xx, whether or not it arrives. */
  readonly isTaken: boolean;
}

interface Path {
  readonly webhook: Webhook;
  readonly failingShare: number;
  /** Deliveries that failed. HR1 */
  readonly failed: Set<string>;
  outageLeft: number;
  isGone: boolean;
}

export class HookReceiver {
  /** What no sender may do. */
  readonly faults: string[] = [];
  /** Requests by what became of them. */
  readonly counts = new Map<string, number>();
  private readonly paths = new Map<string, Path>();
  private readonly server: Server;
  private unansweredLeft = 0;

  constructor(
    private readonly random: Random,
    private readonly onDelivery: (path: string, delivery: Delivery) => void,
  ) {
    this.server = createServer((request, response) => {
      request.on('error', () => undefined);
      void this.handle(request, response);
    });
  }

  /** @returns its port */
  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as {port: number}).port;
  }

  expect(path: string, secret: string, failingShare: number): void {
    const webhook = new Webhook(secret);
    this.paths.set(path, {webhook, failingShare, failed: new Set(), outageLeft: 0, isGone: false});
  }

  /** Answers the next `requests` of this path with 500. HR1 */
  failFor(path: string, requests: number): void {
    this.paths.get(path)!.outageLeft = requests;
  }

  /** Answers the next request of this path with 410. */
  goAway(path: string): void {
    this.paths.get(path)!.isGone = true;
  }

  /** Some delivery is not answered: once a call. */
  leaveOneUnanswered(): void {
    this.unansweredLeft = neverAnswersMax;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = this.paths.get(request.url!);
    if (path === undefined) {
      this.faults.push(`${request.method} ${request.url}: nobody was told of this path but by a redirect`);
      return takes(request, response) as undefined;
    }
    const id = String(request.headers['webhook-id']);
    const way = this.wayOf(path, id);
    this.counts.set(way, (this.counts.get(way) ?? 0) + 1);
    if (way === unread) return void request.socket.resetAndDestroy();
    const body = await textOf(request);
    if (body === undefined) return; // HR2
    const isTaken = way === 'takes' || way in takingWays;
    this.take(request, path, {id, atMs: Date.now(), isTaken}, body);
    if (way === never) return;
    const answer = takingWays[way] ?? failingWays[way] ?? (way === gone ? status(410) : takes);
    await (way === outage ? status(500) : answer)(request, response);
  }

  private wayOf(path: Path, id: string): string {
    const {random} = this;
    if (path.isGone) {
      path.isGone = false;
      return gone;
    }
    if (path.outageLeft > 0 && !path.failed.has(id)) {
      path.outageLeft -= 1;
      path.failed.add(id);
      return outage;
    }
    if (path.failed.has(id) || !random.chance(path.failingShare)) {
      return random.chance(lateShare) ? random.pick(Object.keys(takingWays)) : 'takes';
    }
    path.failed.add(id);
    if (this.unansweredLeft > 0) {
      this.unansweredLeft -= 1;
      return never;
    }
    return random.pick([...Object.keys(failingWays), unread]);
  }

  private take(
    request: IncomingMessage,
    {webhook}: Path,
    known: Pick<Delivery, 'id' | 'atMs' | 'isTaken'>,
    body: string,
  ): void {
    try {
      const {type, data} = webhook.verify(body, request.headers as Record<string, string>) as Pick<
        Delivery,
        'type' | 'data'
      >;
      this.onDelivery(request.url!, {...known, type, data});
    } catch (error) {
      this.faults.push(`${request.url} ${known.id}: ${(error as Error).message}`);
    }
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** Undefined when the sender ends before. */
async function textOf(request: IncomingMessage): Promise<string | undefined> {
  let text = '';
  try {
    for await (const piece of request.setEncoding('utf8')) text += piece;
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}
