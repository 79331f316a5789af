// Virtual time: a queue of events, each of one process.
//   T1. One event at a time: the code of its process runs until it waits, then the next event follows.
//   T2. Events of equal times keep the order in which they were added. The trace names every event that ran.
//   T3. Nothing runs in a process that was killed; events of a paused one wait until it continues.
import {crc32} from 'node:zlib';
import {Chance} from './random.js';
import {enterWorld, settled, type VirtualTimer, type VirtualWorld} from './virtual-builtins.js';

/** A unit that can be killed and paused: an owner of the partition, an edge. */
export class SimProcess {
  readonly name: string;
  state: 'running' | 'paused' | 'dead' = 'running';
  /** Events that came during a pause. */
  readonly held: SimEvent[] = [];
  /** Called when it dies by itself: a fatal error of its code. */
  onFatal: (error: Error) => void = () => undefined;

  constructor(name: string) {
    this.name = name;
  }

  get isDead(): boolean {
    return this.state === 'dead';
  }
}

interface SimEvent extends VirtualTimer {
  readonly atMs: number;
  readonly order: number;
  /** Undefined: an event of the server, or of the scenario. */
  readonly owner: SimProcess | undefined;
  readonly run: () => void;
}

export class Timeline implements VirtualWorld {
  nowMs = 0;
  /** The process whose code runs now. */
  current: SimProcess | undefined;
  traceHash = 0;
  /** Undefined unless the trace is to be printed. */
  readonly lines: string[] | undefined;
  eventCount = 0;
  private readonly chance: Chance;
  private readonly heap: SimEvent[] = [];
  private orders = 0;

  constructor(seed: number, isVerbose: boolean) {
    this.chance = new Chance(seed, 1);
    this.lines = isVerbose ? [] : undefined;
    enterWorld(this);
  }

  trace(text: string): void {
    const line = `${this.nowMs.toFixed(3)} ${this.current?.name ?? '-'} ${text}`;
    this.traceHash = crc32(line, this.traceHash);
    this.lines?.push(line);
  }

  after(ms: number, run: () => void): VirtualTimer {
    return this.schedule(ms, this.current, run);
  }

  schedule(ms: number, owner: SimProcess | undefined, run: () => void): VirtualTimer {
    const event: SimEvent = {atMs: this.nowMs + ms, order: this.orders++, owner, run, isCancelled: false};
    this.push(event);
    return event;
  }

  randomBytes(count: number): Buffer {
    return this.chance.bytes(count);
  }

  resume(process: SimProcess): void {
    if (process.state !== 'paused') return;
    process.state = 'running';
    for (const event of process.held.splice(0)) {
      if (!event.isCancelled) this.schedule(0, process, event.run);
    }
  }

  /** Runs `work` now, as code of `process`. */
  as<T>(process: SimProcess, work: () => T): T {
    const before = this.current;
    this.current = process;
    try {
      return work();
    } finally {
      this.current = before;
    }
  }

  /** Runs events until `isDone`; false when virtual time or events ran out before. */
  async runUntil(isDone: () => boolean, endMs: number, eventsMax: number): Promise<boolean> {
    while (!isDone()) {
      const event = this.heap[0];
      if (event === undefined || event.atMs > endMs || this.eventCount > eventsMax) return false;
      this.pop();
      await this.happen(event);
    }
    return true;
  }

  private async happen(event: SimEvent): Promise<void> {
    if (event.isCancelled) return;
    const {owner} = event;
    this.nowMs = event.atMs;
    if (owner?.isDead) return;
    if (owner?.state === 'paused') {
      owner.held.push(event);
      return;
    }
    this.eventCount += 1;
    this.current = owner;
    this.traceHash = crc32(`${event.atMs} ${event.order} ${owner?.name ?? ''};`, this.traceHash);
    event.run();
    await settled();
    this.current = undefined;
  }

  // ---- a binary heap by (atMs, order) ----

  private push(event: SimEvent): void {
    const {heap} = this;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(heap[parent] as SimEvent, event)) break;
      heap[at] = heap[parent] as SimEvent;
      at = parent;
    }
    heap[at] = event;
  }

  private pop(): SimEvent | undefined {
    const {heap} = this;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as SimEvent, heap[child] as SimEvent)) child += 1;
      if (isBefore(last, heap[child] as SimEvent)) break;
      heap[at] = heap[child] as SimEvent;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

const isBefore = (a: SimEvent, b: SimEvent): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
