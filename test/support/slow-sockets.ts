// Connections of clients that are slow, and how long the service puts up with each.
import {readFileSync} from 'node:fs';
import {connect, type Socket} from 'node:net';
import type {SlowKind} from './slow-kinds.js';

export interface SlowSockets {
  readonly baseUrl: string;
  /** One connection each. */
  readonly kinds: readonly SlowKind[];
  /** How late this process may see that a connection was closed. */
  readonly lateMs: number;
}

// A connection without a deadline is still caught, and late ones say how late.
const patience = 1.5;
// A connection every 5 ms: opening them must not take the machine from clients that are timed.
const connectEveryMs = 5;
const lookEveryMs = 500;
const established = '01';

/** Resolves with what was late, a line per kind; none when the service closed every connection within its deadline. */
export async function lateCloses({baseUrl, kinds, lateMs}: SlowSockets): Promise<string[]> {
  const {hostname: host, port} = new URL(baseUrl);
  const address = {host, port: Number(port)};
  const lifetimes = await Promise.all(kinds.map((kind, i) => lifetimeOf(kind, address, i * connectEveryMs, lateMs)));
  return [...new Set(kinds)].flatMap((kind) => {
    const own = lifetimes.filter((_, i) => kinds[i] === kind);
    const late = own.filter((ms) => ms === undefined || ms > kind.closedWithinMs + lateMs);
    return late.length === 0
      ? []
      : [`${late.length} of ${own.length} x ${kind.name}: not within ${kind.closedWithinMs} ms: ${late.join(', ')}`];
  });
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Ms until the service closed it; undefined: it was open long after its deadline. */
function lifetimeOf(kind: SlowKind, address: Address, delayMs: number, lateMs: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    setTimeout(() => {
      const timers: NodeJS.Timeout[] = [];
      const socket = connect(address);
      let startedMs = performance.now();
      const end = (lifetimeMs: number | undefined): void => {
        for (const timer of timers) clearInterval(timer);
        socket.destroy();
        resolve(lifetimeMs);
      };
      const start = (): void => {
        startedMs = performance.now();
        timers.push(...beSlow(kind, socket, address.port));
        timers.push(setTimeout(() => end(undefined), patience * (kind.closedWithinMs + lateMs)));
      };
      socket.once('connect', () => {
        socket.write(kind.opening);
        // The service may take its time for a large answer: the deadline is of slow reading.
        if (kind.reading === undefined) start();
        else socket.once('readable', start);
      });
      socket.on('error', () => {}); // A reset is a close like any other.
      socket.once('close', () => end(performance.now() - startedMs));
    }, delayMs);
  });
}

function beSlow({drip, reading}: SlowKind, socket: Socket, port: number): NodeJS.Timeout[] {
  const timers: NodeJS.Timeout[] = [];
  if (drip !== undefined) timers.push(setInterval(() => socket.write(drip.text), drip.everyMs));
  if (reading === undefined) {
    socket.resume();
    return timers;
  }
  // A client that does not read does not see that the other side has closed: the system knows.
  timers.push(setInterval(() => peersOf(port).has(socket.localPort!) || socket.destroy(), lookEveryMs));
  if (reading !== 'never') {
    timers.push(setInterval(() => void socket.read(Math.min(reading.bytes, socket.readableLength)), reading.everyMs));
  }
  return timers;
}

/** Ports of clients whose connection the service on `port` still holds: lines of Linux' table of sockets. */
function peersOf(port: number): Set<number> {
  const peers = new Set<number>();
  for (const line of readFileSync('/proc/net/tcp', 'latin1').split('\n')) {
    const [, local = '', remote = '', state] = line.trim().split(/\s+/);
    if (state === established && portOf(local) === port) peers.add(portOf(remote));
  }
  return peers;
}

function portOf(address: string): number {
  return Number.parseInt(address.slice(address.indexOf(':') + 1), 16);
}
