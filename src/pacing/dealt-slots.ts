// Slots for the work of many callers, dealt to them in turn: none of them can take a thread from the others.
//   DS1. A free slot goes to the caller whose last turn is longest ago, and of that caller's work to what came first. A caller who comes
//        stands before the newest turns alone, one for each slot: callers who come again and again pass nobody for long.
//   DS2. One caller holds fewer slots than there are, so that the work of another one begins at once.
//   DS3. A caller with too much waiting work is refused more of it; nobody else is.
//   DS4. A caller within the service can have a slot of its own, beside the others.
//   DS5. What runs is dealt slices: one in each turn of the event loop, to the callers in turn. A message waits for one slice.
//   DS6. Work that several callers wait for stands in the line of each of them.
import {ConditionVariable} from './condition-variable.js';
import {Stopped} from './stop.js';

/** This caller has too much waiting work: nothing was done. */
export class Crowded extends Error {
  override name = 'Crowded';
}

interface Dealing {
  readonly slots: number;
  /** Slots of one caller. DS2 */
  readonly ofCallerMax: number;
  /** Waiting work of one caller. DS3 */
  readonly waitingMax: number;
  /** Callers with a slot of their own. DS4 */
  readonly ownSlots: readonly string[];
}

/** The work of one caller. */
interface Line {
  readonly caller: string;
  readonly waiting: Waiting[];
  running: number;
  /** Numbers of the newest deal and of the newest slice. */
  dealt: number;
  sliced: number;
}

/** Work that waits for a slot. */
export interface Waiting {
  /** Lines in which it stands. DS6 */
  readonly lines: Line[];
  /** Gives it a slot of this line. */
  readonly start: (line: Line) => void;
  readonly started: Promise<Line>;
}

export interface Slot {
  /** Gives the slot back. To be called once. */
  free(): void;
  /** Resolves with the caller's next slice. DS5 */
  nextSlice(): Promise<void>;
}

export class DealtSlots {
  private readonly dealing: Dealing;
  /** Callers with work. */
  private readonly lines = new Map<string, Line>();
  private readonly paused: {readonly line: Line; readonly resume: () => void}[] = [];
  private readonly emptied = new ConditionVariable();
  private isSliceDue = false;
  private taken = 0;
  private deals = 0;
  private slices = 0;
  /** Pieces of work in slots, those of DS4 too. */
  running = 0;

  constructor(dealing: Dealing) {
    this.dealing = dealing;
  }

  /** Pieces of work that wait. */
  get waiting(): number {
    return new Set([...this.lines.values()].flatMap(({waiting}) => waiting)).size;
  }

  /** A place at the end of the caller's line. `waitingMax`: for a caller within the service. @throws Crowded */
  place(caller: string, waitingMax = this.dealing.waitingMax): Waiting {
    const line = this.lineOf(caller);
    if (line.waiting.length >= waitingMax) throw new Crowded(`${waitingMax} others of this caller are waiting`);
    let start = (_line: Line): void => undefined;
    const started = new Promise<Line>((resolve) => {
      start = resolve;
    });
    const place = {lines: [line], start, started};
    line.waiting.push(place);
    this.deal();
    return place;
  }

  /** Another caller waits for this work: it adds none, so that nobody is refused. DS6 */
  share(place: Waiting, caller: string): void {
    const isWaiting = place.lines.length > 0;
    if (!isWaiting || place.lines.some((line) => line.caller === caller)) return;
    const line = this.lineOf(caller);
    place.lines.push(line);
    line.waiting.push(place);
    this.deal();
  }

  /** A slot for the work of this place, which gives up its place when `stop` is aborted. @throws Stopped */
  async take(place: Waiting, stop: AbortSignal): Promise<Slot> {
    const line = await this.started(place, stop);
    return {nextSlice: () => this.nextSlice(line), free: () => this.free(line)};
  }

  /** Runs the work in a slot. It stops itself when `stop` is aborted. @throws Stopped */
  async run<T>(place: Waiting, stop: AbortSignal, work: (slot: Slot) => Promise<T>): Promise<T> {
    const slot = await this.take(place, stop);
    try {
      return await work(slot);
    } finally {
      slot.free();
    }
  }

  /** Whether no work ran at some moment within `waitMs`. The bound lets background work continue on a busy thread. */
  idle(waitMs: number): Promise<boolean> {
    return this.emptied.until(() => this.running === 0, waitMs);
  }

  private started(place: Waiting, stop: AbortSignal): Promise<Line> {
    if (place.lines.length === 0) return place.started;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        if (place.lines.length === 0) return; // It has begun, and stops itself.
        this.takeOut(place);
        reject(new Stopped());
      };
      if (stop.aborted) leave();
      stop.addEventListener('abort', leave);
      void place.started.then(resolve).finally(() => stop.removeEventListener('abort', leave));
    });
  }

  private lineOf(caller: string): Line {
    const known = this.lines.get(caller);
    if (known !== undefined) return known;
    const before = this.dealing.slots - 0.5; // DS1; between two turns.
    const line = {caller, waiting: [], running: 0, dealt: this.deals - before, sliced: this.slices - before};
    this.lines.set(caller, line);
    return line;
  }

  private takeOut(place: Waiting): void {
    for (const line of place.lines.splice(0)) {
      line.waiting.splice(line.waiting.indexOf(place), 1);
      this.forgetIfIdle(line);
    }
  }

  private forgetIfIdle({caller, waiting, running}: Line): void {
    if (waiting.length === 0 && running === 0) this.lines.delete(caller);
  }

  private deal(): void {
    for (let line = this.next(); line !== undefined; line = this.next()) {
      this.deals += 1;
      line.dealt = this.deals;
      line.running += 1;
      this.running += 1;
      if (!this.hasOwnSlot(line)) this.taken += 1;
      const place = line.waiting[0]!;
      this.takeOut(place);
      place.start(line);
    }
  }

  /** DS1 */
  private next(): Line | undefined {
    let next: Line | undefined;
    for (const line of this.lines.values())
      if (line.waiting.length > 0 && this.mayRun(line) && line.dealt < (next?.dealt ?? Number.POSITIVE_INFINITY))
        next = line;
    return next;
  }

  private mayRun(line: Line): boolean {
    if (this.hasOwnSlot(line)) return line.running === 0;
    return this.taken < this.dealing.slots && line.running < this.dealing.ofCallerMax;
  }

  private hasOwnSlot({caller}: Line): boolean {
    return this.dealing.ownSlots.includes(caller);
  }

  private free(line: Line): void {
    line.running -= 1;
    this.running -= 1;
    if (!this.hasOwnSlot(line)) this.taken -= 1;
    this.forgetIfIdle(line);
    this.deal();
    this.emptied.notify();
  }

  private nextSlice(line: Line): Promise<void> {
    return new Promise((resume) => {
      this.paused.push({line, resume});
      this.dealSlice();
    });
  }

  /** DS5 */
  private dealSlice(): void {
    if (this.isSliceDue) return;
    this.isSliceDue = true;
    setImmediate(() => {
      this.isSliceDue = false;
      const next = this.paused.reduce((first, one) => (one.line.sliced < first.line.sliced ? one : first));
      this.paused.splice(this.paused.indexOf(next), 1);
      this.slices += 1;
      next.line.sliced = this.slices;
      next.resume();
      if (this.paused.length > 0) this.dealSlice();
    });
  }
}
