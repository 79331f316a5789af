// A wire that can be cut: every connection of the service to NATS goes through this proxy.
//   Dropped bytes are lost, so repairing the wire ends the connections that lost some.

import {once} from 'node:events';
import {type AddressInfo, connect, createServer, type Server, type Socket} from 'node:net';

/**
 * `cut`: connections end, new ones are refused. `silent`: they stay open and carry nothing. `deaf`: the service's bytes arrive,
 * the answers do not. `mute`: the opposite. `slow`: everything takes longer.
 */
export type Wire = 'whole' | 'cut' | 'silent' | 'deaf' | 'mute' | 'slow';
type Direction = 'up' | 'down';

const swallows: Readonly<Record<Wire, readonly Direction[]>> = {
  whole: [],
  cut: ['up', 'down'],
  silent: ['up', 'down'],
  deaf: ['down'],
  mute: ['up'],
  slow: [],
};

interface Pair {
  readonly inner: Socket;
  readonly outer: Socket;
  hasLostBytes: boolean;
  /** When the newest bytes of each direction arrive: later ones must not overtake them. */
  readonly dueAt: Record<Direction, number>;
}

export class TcpProxy {
  private readonly pairs = new Set<Pair>();
  private wire: Wire = 'whole';
  private slowMs = 0;

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {
    server.on('connection', (inner) => this.join(inner));
  }

  static async start(target: number): Promise<TcpProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, target);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  set(wire: Wire, slowMs = 0): void {
    this.wire = wire;
    this.slowMs = slowMs;
    if (wire === 'cut') this.endAll();
    if (wire === 'whole') for (const pair of this.pairs) if (pair.hasLostBytes) end(pair);
  }

  /** Resets both sides of every connection; new ones are accepted. */
  reset(): void {
    for (const {inner, outer} of this.pairs) {
      inner.resetAndDestroy();
      outer.resetAndDestroy();
    }
  }

  async stop(): Promise<void> {
    this.server.close();
    this.endAll();
    await once(this.server, 'close');
  }

  private endAll(): void {
    for (const pair of this.pairs) end(pair);
  }

  private join(inner: Socket): void {
    if (this.wire === 'cut') {
      inner.destroy();
      return;
    }
    const pair: Pair = {inner, outer: connect(this.target, '127.0.0.1'), hasLostBytes: false, dueAt: {up: 0, down: 0}};
    this.pairs.add(pair);
    for (const [direction, from, to] of [
      ['up', pair.inner, pair.outer],
      ['down', pair.outer, pair.inner],
    ] as const) {
      from.setNoDelay(true);
      from.on('data', (bytes: Buffer) => this.carry(pair, direction, to, bytes));
      from.on('error', () => {}); // `close` follows and is handled.
      from.on('close', () => {
        this.pairs.delete(pair);
        end(pair);
      });
    }
  }

  private carry(pair: Pair, direction: Direction, to: Socket, bytes: Buffer): void {
    if (swallows[this.wire].includes(direction)) pair.hasLostBytes = true;
    // After lost bytes the connection must carry nothing: the protocol would be broken.
    if (pair.hasLostBytes && swallows[this.wire].length === 0) end(pair);
    else if (!swallows[this.wire].includes(direction)) this.forward(pair, direction, to, bytes);
  }

  /** When the wire becomes faster, bytes under way still arrive first. */
  private forward({dueAt}: Pair, direction: Direction, to: Socket, bytes: Buffer): void {
    const nowMs = performance.now();
    const dueMs = Math.max(dueAt[direction], nowMs + this.slowMs);
    if (dueMs <= nowMs) {
      to.write(bytes);
      return;
    }
    // Whole ms: timers of the same ms run in the order in which they were set.
    dueAt[direction] = Math.ceil(dueMs);
    setTimeout(() => to.write(bytes), dueAt[direction] - nowMs);
  }
}

function end({inner, outer}: Pair): void {
  inner.destroy();
  outer.destroy();
}
