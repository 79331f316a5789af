// The gate of an endpoint limits its deliveries under way.
//   GA1. No delivery while it is paused or disabled; one at a time, with pauses, while it is probed; otherwise one per socket.
import {ConditionVariable} from '../pacing/condition-variable.js';
import type {EndpointState} from './endpoint.js';
import {socketsMax} from './post.js';

interface GateView {
  readonly state: EndpointState;
  /** Time of the next probe, epoch ms; undefined: the endpoint is not probed. */
  readonly nextProbeMs: number | undefined;
}

export class Gate {
  private readonly view: () => GateView;
  private readonly wallMs: () => number;
  private readonly changed = new ConditionVariable();
  private underWay = 0;
  private isStopped = false;

  constructor(view: () => GateView, wallMs: () => number) {
    this.view = view;
    this.wallMs = wallMs;
  }

  /** Takes a place, which `leave` gives back. False: the endpoint is no longer served here. */
  async enter(): Promise<boolean> {
    return this.pass(() => this.tryEnter());
  }

  /** Waits until a place is free, or until `orElse` holds; takes no place. */
  async open(orElse: () => boolean = () => false): Promise<boolean> {
    return this.pass(() => orElse() || this.underWay < this.places());
  }

  private async pass(isMet: () => boolean): Promise<boolean> {
    for (;;) {
      if (await this.changed.until(() => this.isStopped || isMet(), this.untilProbeMs())) return !this.isStopped;
    }
  }

  private tryEnter(): boolean {
    if (this.isStopped || this.underWay >= this.places()) return false;
    this.underWay += 1;
    return true;
  }

  /** GA1 */
  private places(): number {
    const {state, nextProbeMs} = this.view();
    if (state !== 'active') return 0;
    if (nextProbeMs === undefined) return socketsMax;
    return this.wallMs() >= nextProbeMs ? 1 : 0;
  }

  private untilProbeMs(): number {
    const {state, nextProbeMs} = this.view();
    if (state !== 'active' || nextProbeMs === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(10, nextProbeMs - this.wallMs());
  }

  /** Whether the endpoint is served here, and may be sent to. */
  get isServed(): boolean {
    return !this.isStopped && this.view().state === 'active';
  }

  /** Waits for `ms`, at most until `orElse` holds, or the endpoint is no longer served here. */
  async rest(ms: number, orElse: () => boolean): Promise<void> {
    await this.changed.until(() => this.isStopped || orElse(), ms);
  }

  leave(): void {
    this.underWay -= 1;
    this.changed.notify();
  }

  /** Waits until no delivery is under way, at most `msMax`. */
  async idle(msMax: number): Promise<void> {
    await this.changed.until(() => this.underWay === 0, msMax);
  }

  /** Call it after the state or the health of the endpoint has changed. */
  notify(): void {
    this.changed.notify();
  }

  stop(): void {
    this.isStopped = true;
    this.changed.notify();
  }
}
