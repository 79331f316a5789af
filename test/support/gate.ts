// Stands before a service, under one address, and misbehaves as proxies and networks do.
import {createServer, type IncomingMessage, request, type Server, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';

/** Forwards to the service, wherever it is now. While there is none, requests wait, as they do at a balancer. */
export class Gate {
  private target: URL | undefined;
  private waiting: (() => void)[] = [];
  /** Answers that it replaces by a 503 after the service has stored the request. */
  losesAnswers = 0;
  /** Answers 502 for a service that ended. */
  isProxy = false;
  /** Statuses that passed, and how often. */
  readonly statuses = new Map<number, number>();
  private readonly server: Server = createServer((asked, answer) => this.pass(asked, answer));

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  lead(target: URL | undefined): void {
    this.target = target;
    if (target === undefined) return;
    for (const pass of this.waiting.splice(0)) pass();
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private pass(asked: IncomingMessage, answer: ServerResponse): void {
    const {target} = this;
    if (target === undefined) {
      this.waiting.push(() => this.pass(asked, answer));
      return;
    }
    const onward = request(
      {host: target.hostname, port: target.port, method: asked.method, path: asked.url, headers: asked.headers},
      (passed) => {
        const {statusCode = 500} = passed;
        const isLost = statusCode === 200 && this.losesAnswers > 0;
        if (isLost) this.losesAnswers -= 1;
        const status = isLost ? 503 : statusCode;
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
        passed.on('error', () => answer.destroy());
        if (isLost) {
          passed.resume();
          answer.writeHead(503, {'retry-after': '1'}).end();
        } else passed.pipe(answer.writeHead(status, passed.headers));
      },
    );
    onward.on('error', () => this.breakOff(asked, answer));
    asked.pipe(onward);
  }

  /** The service ended before it answered. A network breaks the connection off, a proxy says so. */
  private breakOff({socket}: IncomingMessage, answer: ServerResponse): void {
    if (this.isProxy && !answer.headersSent) answer.writeHead(502).end();
    else socket.destroy();
  }
}
