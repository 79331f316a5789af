// A receiver of webhooks that takes nothing: `/gone` answers 410, everything else 500.
import {once} from 'node:events';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';

export class FailingReceiver {
  private readonly refused = {gone: 0, other: 0};

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      const isGone = request.url === '/gone';
      this.refused[isGone ? 'gone' : 'other'] += 1;
      response.writeHead(isGone ? 410 : 500).end();
    });
  }

  static async start(): Promise<FailingReceiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FailingReceiver(server);
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Whether it answered of both kinds. */
  get hasRefusedAll(): boolean {
    return this.refused.gone > 0 && this.refused.other > 0;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
