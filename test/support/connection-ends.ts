// A wire between a proxy and a service that notes which of the two ends each connection first, and how long that had idled.

import {once} from 'node:events';
import {type AddressInfo, connect, createServer, type Server, type Socket} from 'node:net';

export interface ConnectionEnd {
  readonly by: 'client' | 'service';
  readonly idleMs: number;
}

export class ConnectionEnds {
  readonly seen: ConnectionEnd[] = [];
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private open = 0;

  private constructor(server: Server, servicePort: number) {
    this.server = server;
    server.on('connection', (client) =>
      this.join(client, connect({port: servicePort, host: '127.0.0.1', allowHalfOpen: true})),
    );
  }

  static async watch(servicePort: number): Promise<ConnectionEnds> {
    const server = createServer({allowHalfOpen: true});
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ConnectionEnds(server, servicePort);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, 'close');
  }

  /** Connections that neither has ended. */
  get openCount(): number {
    return this.open;
  }

  private join(client: Socket, service: Socket): void {
    let quietSinceMs = performance.now();
    let hasEnded = false;
    this.open += 1;
    const ended = (by: ConnectionEnd['by']) => (): void => {
      if (hasEnded) return;
      hasEnded = true;
      this.open -= 1;
      this.seen.push({by, idleMs: performance.now() - quietSinceMs});
    };
    for (const [by, from, to] of [
      ['client', client, service],
      ['service', service, client],
    ] as const) {
      this.sockets.add(from);
      from.setNoDelay(true);
      from.on('data', () => {
        quietSinceMs = performance.now();
      });
      from.once('end', ended(by));
      from.once('error', ended(by));
      from.once('close', () => {
        this.sockets.delete(from);
        to.destroySoon();
      });
      from.pipe(to);
    }
  }
}
