// Times of the events in a request that is sent repeatedly. Without new times only the first copy would be current: later ones
// would begin with the first day again, each chunk of rows would span all days, and each snapshot would change all of them. A
// real service gets current events, and a few late ones.
//   T1. The events of a request are a millisecond apart, and the last one is at the moment of sending. A late event is as late
//       as in the workload.
//   T2. Every time has the same length as before: nothing else in the request changes.

const minuteMs = 60_000;
/** `2026-11-23T09:24:`, and the rest up to the Z. */
const minuteChars = 17;
const secondsAt = minuteChars;
const zero = 0x30;

export class EventTimes {
  /** Position of each event's time in the request, and its delay in ms. */
  private readonly places: Uint32Array;
  private readonly lateMs: Float64Array;
  /** Minute of the epoch that all punctual events of the request have now; -1: not written yet. */
  private minute = -1;

  constructor(places: readonly number[], lateMs: readonly number[]) {
    this.places = Uint32Array.from(places);
    this.lateMs = Float64Array.from(lateMs);
  }

  /** `nowMs`: epoch ms, whole. */
  write(request: Buffer, nowMs: number): void {
    const {places, lateMs} = this;
    const firstMs = nowMs - places.length + 1;
    const minute = Math.floor(firstMs / minuteMs);
    const isOneMinute = minute === Math.floor(nowMs / minuteMs);
    if (!isOneMinute || minute !== this.minute) this.writeWhole(request, firstMs);
    else
      for (let i = 0; i < places.length; i++) {
        if (lateMs[i] === 0) writeSeconds(request, places[i]! + secondsAt, firstMs + i - minute * minuteMs);
        else writeTime(request, places[i]!, firstMs + i - lateMs[i]!);
      }
    this.minute = isOneMinute ? minute : -1;
  }

  private writeWhole(request: Buffer, firstMs: number): void {
    for (const [i, place] of this.places.entries()) writeTime(request, place, firstMs + i - this.lateMs[i]!);
  }
}

function writeTime(request: Buffer, at: number, timeMs: number): void {
  request.write(new Date(timeMs).toISOString(), at, 'latin1');
}

/** `SS.mmm`; `ms`: within the minute. */
function writeSeconds(request: Buffer, at: number, ms: number): void {
  const seconds = Math.floor(ms / 1_000);
  const rest = ms - seconds * 1_000;
  request[at] = zero + Math.floor(seconds / 10);
  request[at + 1] = zero + (seconds % 10);
  request[at + 3] = zero + Math.floor(rest / 100);
  request[at + 4] = zero + (Math.floor(rest / 10) % 10);
  request[at + 5] = zero + (rest % 10);
}
