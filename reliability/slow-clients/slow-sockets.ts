// Worker thread: holds the slow connections, so that they do not disturb the clock of those who are timed meanwhile.
import {readFileSync} from 'node:fs';
import {connect, type Socket} from 'node:net';
import {parentPort, workerData} from 'node:worker_threads';
import {monotonicMs} from '../../src/clock.js';
import type {SlowKind} from './kinds.js';

export interface SlowSocketsData {
  readonly host: string;
  readonly port: number;
  /** One connection each. */
  readonly kinds: readonly SlowKind[];
  /** How late the news of a closed connection may come. */
  readonly lateMs: number;
}

/** How long each connection lived, in the order of `kinds`; null: it was open when its deadline had long passed. */
export type Lifetimes = readonly (number | null)[];

// Those that are late are told, too; a connection without a deadline is still caught.
const patience = 1.5;
// A connection every 5 ms: what opens them must not take the machine from those who are timed.
const connectEveryMs = 5;
const lookEveryMs = 500;
const established = '01';

const {host, port, kinds, lateMs} = workerData as SlowSocketsData;
const lifetimes = await Promise.all(kinds.map((kind, i) => lifetimeOf(kind, i * connectEveryMs)));
parentPort!.postMessage(lifetimes satisfies Lifetimes);

function lifetimeOf(kind: SlowKind, delayMs: number): Promise<number | null> {
  return new Promise((resolve) => {
    setTimeout(() => {
      const timers: NodeJS.Timeout[] = [];
      const socket = connect({host, port});
      let startedMs = monotonicMs();
      const end = (lifetimeMs: number | null): void => {
        for (const timer of timers) clearInterval(timer);
        socket.destroy();
        resolve(lifetimeMs);
      };
      const start = (): void => {
        startedMs = monotonicMs();
        timers.push(...beSlow(kind, socket));
        timers.push(setTimeout(() => end(null), patience * (kind.closedWithinMs + lateMs)));
      };
      socket.once('connect', () => {
        socket.write(kind.opening);
        // The service may take its time for a large answer: it is slow reading that is looked at.
        if (kind.reading === undefined) start();
        else socket.once('readable', start);
      });
      socket.on('error', () => {}); // A reset is a close like any other.
      socket.once('close', () => end(monotonicMs() - startedMs));
    }, delayMs);
  });
}

function beSlow({drip, reading}: SlowKind, socket: Socket): NodeJS.Timeout[] {
  const timers: NodeJS.Timeout[] = [];
  if (drip !== undefined) timers.push(setInterval(() => socket.write(drip.text), drip.everyMs));
  if (reading === undefined) {
    socket.resume();
    return timers;
  }
  // Who does not read does not see that the other side is gone: the system knows.
  timers.push(setInterval(() => servicePeers().has(socket.localPort!) || socket.destroy(), lookEveryMs));
  if (reading !== 'never') {
    timers.push(setInterval(() => void socket.read(Math.min(reading.bytes, socket.readableLength)), reading.everyMs));
  }
  return timers;
}

/** Ports of those whose connection the service still holds: lines of Linux' table of sockets. */
function servicePeers(): Set<number> {
  const lines = readFileSync('/proc/net/tcp', 'latin1').split('\n');
  const peers = new Set<number>();
  for (const line of lines) {
    const [, local = '', remote = '', state] = line.trim().split(/\s+/);
    if (state === established && portOf(local) === port) peers.add(portOf(remote));
  }
  return peers;
}

function portOf(address: string): number {
  return Number.parseInt(address.slice(address.indexOf(':') + 1), 16);
}
