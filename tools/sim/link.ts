// One process's connection to the fake server: calls with latency and faults, connection and disconnection.
//   K1. Calls arrive in the order in which they were made, even if one of them is delayed.
//   K2. A call under way still arrives after its process died; it does not after the server went down.
//   K3. An answer comes over the connection of its call, or not at all.
import {crc32} from 'node:zlib';
import type {Faults} from './faults.js';
import type {SimServer} from './server.js';
import {apiError} from './store.js';
import type {SimProcess, Timeline} from './timeline.js';

const insufficientResources = 10_023;
export const requestMs = 5_000;

/** A crash of the process at one of its effects: before it, or right after it and before the answer. */
export interface CrashPlan {
  readonly call: number;
  readonly isAfter: boolean;
}

export interface LinkWorld {
  readonly timeline: Timeline;
  readonly server: SimServer;
  readonly faults: Faults;
  readonly kill: (process: SimProcess, why: string) => void;
}

export class SimLink {
  readonly process: SimProcess;
  readonly world: LinkWorld;
  isConnected = true;
  crash: CrashPlan | undefined;
  onDisconnect: () => void = () => undefined;
  onReconnect: () => void = () => undefined;
  private calls = 0;
  private connections = 1;
  private lastArrivalMs = 0;

  constructor(process: SimProcess, world: LinkWorld) {
    this.process = process;
    this.world = world;
    if (world.server.isUp) return;
    this.isConnected = false;
    this.tryToConnect(0);
  }

  /** Undefined while it is not connected. */
  get serverRun(): string | undefined {
    return this.isConnected ? `run ${this.world.server.downs}` : undefined;
  }

  /** The server runs `apply`; `undefined` from `answer` means silence. */
  request<T>(label: string, apply: () => T, timeoutMs = requestMs): Promise<T> {
    return new Promise((resolve, reject) => {
      const {timeline} = this.world;
      const timer = timeline.schedule(timeoutMs, this.process, () => reject(new Error(`timeout: ${label}`)));
      this.send(label, apply, (outcome) => {
        timer.isCancelled = true;
        if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.value);
      });
    });
  }

  /** Calls `answered` when an answer comes, if one does. */
  send<T>(label: string, apply: () => T, answered: (outcome: Outcome<T>) => void): void {
    const {timeline, faults, kill} = this.world;
    if (this.process.isDead) return;
    this.calls += 1;
    const isCrash = this.crash?.call === this.calls;
    if (isCrash && !this.crash?.isAfter) {
      kill(this.process, `before ${label}`);
      return;
    }
    const fate = isCrash ? 'fine' : faults.fate();
    timeline.trace(`${label} ${fate}`);
    const delayMs = faults.latencyMs() + (fate === 'late' ? faults.lateMs() : 0);
    const arrivalMs = Math.max(timeline.nowMs + delayMs, this.lastArrivalMs); // K1
    this.lastArrivalMs = arrivalMs;
    const {isConnected: wasConnected, connections} = this;
    const {server} = this.world;
    const {downs} = server;
    timeline.schedule(arrivalMs - timeline.nowMs, undefined, () => {
      if (fate === 'requestLost' || !wasConnected || !server.isUp || downs !== server.downs) return;
      const outcome = fate === 'refused' ? {error: apiError(insufficientResources, 'no room')} : outcomeOf(apply);
      timeline.trace(`${label} ${'error' in outcome ? outcome.error.message : 'happened'}`);
      if (isCrash) kill(this.process, `after ${label}`);
      if (fate === 'answerLost') return;
      timeline.schedule(faults.latencyMs(), this.process, () => {
        if (this.isConnected && connections === this.connections) answered(outcome); // K3
      });
    });
  }

  /** Breaks the connection; the process notices, and reconnects when the server is up. */
  disconnect(downMs: number): void {
    const {timeline, faults} = this.world;
    if (!this.isConnected) return;
    this.isConnected = false;
    timeline.schedule(faults.latencyMs(), this.process, () => this.onDisconnect());
    this.tryToConnect(downMs);
  }

  private tryToConnect(ms: number): void {
    const {timeline, server} = this.world;
    timeline.schedule(ms, this.process, () => {
      if (!server.isUp) {
        this.tryToConnect(100);
        return;
      }
      this.isConnected = true;
      this.connections += 1;
      this.onReconnect();
    });
  }
}

export type Outcome<T> = {readonly value: T} | {readonly error: Error};

function outcomeOf<T>(apply: () => T): Outcome<T> {
  try {
    return {value: apply()};
  } catch (error) {
    return {error: error as Error};
  }
}

/** Description of bytes in a trace; filler by its length alone. */
export const nameOf = (data: Uint8Array): string =>
  `${data.length}B${data.length > 64 * 1024 ? '' : ` ${crc32(data).toString(16)}`}`;
