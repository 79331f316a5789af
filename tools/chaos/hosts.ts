// Several hosts on one machine: network namespaces on a bridge. A host that is cut off there loses packets, as by a pulled cable: the
// connections stay, and nobody is told.
//   A packet is lost on its way to one host by an address of the wire that nobody has; what comes back the other way arrives.

import {execFileSync} from 'node:child_process';
import {NotPermitted} from './nemesis.js';

/** Where a process runs, and how others reach it. */
export interface Host {
  readonly address: string;
  /** Words before those of a program that is to run there. */
  readonly launcher: readonly string[];
}

export const loopback: Host = {address: '127.0.0.1', launcher: []};

const nobodysWire = '02:00:00:00:00:fe';
const delayMs = 50;

/** @throws with what the command printed. */
const run = (...words: readonly string[]): void => {
  execFileSync(words[0]!, words.slice(1), {stdio: ['ignore', 'ignore', 'pipe']});
};

/** A namespace; its device is `eth0`. */
class Namespace implements Host {
  readonly launcher: readonly string[];

  constructor(
    readonly name: string,
    readonly address: string,
  ) {
    this.launcher = ['ip', 'netns', 'exec', name];
  }

  /** This side of its cable. */
  get cable(): string {
    return `${this.name}c`;
  }

  here(...words: readonly string[]): void {
    run(...this.launcher, ...words);
  }
}

export class Hosts {
  readonly all: readonly Namespace[];
  /** Address of this process's side, from which all hosts are reached. */
  readonly ownAddress: string;
  private readonly bridge = `mr${process.pid}`;
  private readonly removeAtExit = (): void => this.remove();

  /** @throws NotPermitted */
  constructor(count: number) {
    // Of the addresses for tests of networks (RFC 2544), so that no route of this machine leads there.
    const net = `198.${18 + ((process.pid >> 8) & 1)}.${process.pid & 255}`;
    this.ownAddress = `${net}.254`;
    this.all = Array.from({length: count}, (_, i) => new Namespace(`${this.bridge}-${i}`, `${net}.${i + 1}`));
    process.once('exit', this.removeAtExit);
    try {
      run('ip', 'link', 'add', this.bridge, 'type', 'bridge');
      run('ip', 'address', 'add', `${this.ownAddress}/24`, 'dev', this.bridge);
      run('ip', 'link', 'set', this.bridge, 'up');
      for (const host of this.all) this.add(host);
    } catch (error) {
      this.remove();
      throw new NotPermitted(`network namespaces: ${(error as Error).message.trim()}`);
    }
  }

  private add(host: Namespace): void {
    run('ip', 'netns', 'add', host.name);
    run('ip', 'link', 'add', host.cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', host.name);
    run('ip', 'link', 'set', host.cable, 'master', this.bridge, 'up');
    host.here('ip', 'link', 'set', 'lo', 'up');
    host.here('ip', 'address', 'add', `${host.address}/24`, 'dev', 'eth0');
    host.here('ip', 'link', 'set', 'eth0', 'up');
  }

  /** The host's cable is pulled, and plugged in again. */
  setCable(at: number, state: 'up' | 'down'): void {
    run('ip', 'link', 'set', this.all[at]!.cable, state);
  }

  /** What `from` sends to `to` is lost until it is found again. */
  loseOnTheWay(from: number, to: number): void {
    this.all[from]!.here(...this.neighbour('replace', to), 'lladdr', nobodysWire, 'nud', 'permanent');
  }

  findOnTheWay(from: number, to: number): void {
    this.all[from]!.here(...this.neighbour('del', to));
  }

  private neighbour(what: 'replace' | 'del', to: number): string[] {
    return ['ip', 'neighbour', what, this.all[to]!.address, 'dev', 'eth0'];
  }

  /** Every packet of the host takes 50 ms. */
  delay(at: number): void {
    this.all[at]!.here('tc', 'qdisc', 'add', 'dev', 'eth0', 'root', 'netem', 'delay', `${delayMs}ms`);
  }

  /** Some kernels have no such queue. */
  canDelay(): boolean {
    try {
      this.delay(0);
      this.hurry(0);
      return true;
    } catch (error) {
      if (/qdisc kind is unknown|not found|not permitted/i.test((error as Error).message)) return false;
      throw error;
    }
  }

  hurry(at: number): void {
    this.all[at]!.here('tc', 'qdisc', 'del', 'dev', 'eth0', 'root');
  }

  /** After all that ran there has ended. */
  remove(): void {
    process.off('exit', this.removeAtExit);
    for (const {name} of this.all) attempt('ip', 'netns', 'del', name);
    attempt('ip', 'link', 'del', this.bridge);
  }
}

/** What was never made cannot be removed. */
function attempt(...words: readonly string[]): void {
  try {
    run(...words);
  } catch (error) {
    if (!/Cannot (find|remove)|No such|ENOENT|not permitted/i.test((error as Error).message)) throw error;
  }
}
