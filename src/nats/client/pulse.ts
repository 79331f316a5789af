// Pulse of the server at the other end of a connection. A server that is stopped, or behind a broken wire, keeps its
// connections open: only its silence shows that, and the client of NATS notices it after half a minute.
//   L1. Silence is a ping without its pong for `silentMs`. Other messages count as an answer: a pong may queue after a large one.
//       Once silent, only a pong ends it: a wire may carry one direction alone.
//   L2. Only time in which this thread could have listened counts: a late check counts as two at most.
//   L3. A lost connection is not silence: the client reports it, and its return starts a new pulse.

import {setTimeout as delay} from 'node:timers/promises';
import type {NatsConnection} from 'nats';
import {monotonicMs} from '../../clock.js';

export const lookEveryMs = 250;
/** A pong takes less than a ms; seconds mean that a publish or a question would wait as long. */
export const silentMs = 2_500;

/** The time without an answer. L2 */
export class Silence {
  private waitedMs = 0;
  private isJudged = false;

  get isSilent(): boolean {
    return this.isJudged;
  }

  /** Something other than a pong arrived. L1 */
  heard(): void {
    this.waitedMs = 0;
  }

  answered(): void {
    this.waitedMs = 0;
    this.isJudged = false;
  }

  /** A check found the ping still without its pong, `elapsedMs` after the check before. */
  waited(elapsedMs: number): void {
    this.waitedMs += Math.min(elapsedMs, 2 * lookEveryMs);
    if (this.waitedMs >= silentMs) this.isJudged = true;
  }
}

export type PulseState = 'answers' | 'silent' | 'lost';

export class Pulse {
  private readonly nc: NatsConnection;
  private readonly silence = new Silence();
  private readonly listeners: ((state: PulseState) => void)[] = [];
  private current: PulseState = 'answers';
  /** Identifies the ping that has no pong yet; a pong of an earlier connection does not match. */
  private waitingFor: symbol | undefined;
  private bytesHeard = 0;

  /** `nc` has just connected. Runs until it is closed. */
  constructor(nc: NatsConnection) {
    this.nc = nc;
    const ending = new AbortController();
    void nc.closed().then(() => ending.abort());
    void this.followStatus();
    void this.lookOn(ending.signal);
  }

  get state(): PulseState {
    return this.current;
  }

  onChange(listener: (state: PulseState) => void): void {
    this.listeners.push(listener);
  }

  private async followStatus(): Promise<void> {
    for await (const {type} of this.nc.status()) {
      if (type === 'reconnect') this.begin('answers');
      if (type === 'disconnect' || type === 'close') this.begin('lost');
    }
  }

  /** Starts a pulse, or ends it with the connection. L3 */
  private begin(state: 'answers' | 'lost'): void {
    this.waitingFor = undefined;
    this.silence.answered();
    this.enter(state);
  }

  private async lookOn(signal: AbortSignal): Promise<void> {
    let lookedMs = monotonicMs();
    while (!signal.aborted) {
      await delay(lookEveryMs, undefined, {signal}).catch(() => {}); // Aborted: the connection is closed.
      const nowMs = monotonicMs();
      if (this.current !== 'lost' && !signal.aborted) this.look(nowMs - lookedMs);
      lookedMs = nowMs;
    }
  }

  private look(elapsedMs: number): void {
    const {inBytes} = this.nc.stats();
    if (this.waitingFor === undefined) this.ping();
    else if (inBytes !== this.bytesHeard) this.silence.heard();
    else this.silence.waited(elapsedMs);
    this.bytesHeard = inBytes;
    if (this.silence.isSilent) this.enter('silent');
  }

  private ping(): void {
    const ping = Symbol('ping');
    this.waitingFor = ping;
    this.nc.flush().then(
      () => this.pong(ping),
      () => {}, // Lost with its connection: L3.
    );
  }

  private pong(ping: symbol): void {
    if (ping !== this.waitingFor) return;
    this.waitingFor = undefined;
    this.silence.answered();
    this.enter('answers');
  }

  private enter(state: PulseState): void {
    if (state === this.current) return;
    this.current = state;
    for (const listener of this.listeners) listener(state);
  }
}
