// Distinct users of many windows in one pass over time; window starts and ends never move back.
//   Time is divided into elements (days or hours), which the caller walks in order. A user is counted in the element where it
//   was last active, so a window that ends now has as many users as were last active since its start. Each (element, user) pair
//   takes constant work, whatever the number and length of windows.
//   SU1. Elements are begun in ascending order, and `finish` comes after the last.
//   SU2. An excluded user (erased, but still in old window runs) counts nowhere.

/** Windows over elements: window w is [starts[w], ends[w]); both bounds never decrease. */
export interface ElementWindows {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

const never = -1;
const excluded = 0x7fffffff;

/** State of a pass between two elements. */
export interface SlidingState {
  readonly last: Int32Array;
  readonly endingIn: Int32Array;
}

export class SlidingUsers {
  /** Distinct users of each window; added up over `restart`s. */
  readonly counts: Float64Array;
  private readonly windows: ElementWindows;
  /** Last active element of each user. */
  private readonly last: Int32Array;
  /** Number of users by last active element. */
  private readonly endingIn: Int32Array;
  /** Sum of `endingIn` from `start`. */
  private active = 0;
  private start = 0;
  private element = 0;
  private nextWindow = 0;

  constructor(userCount: number, elementCount: number, windows: ElementWindows) {
    this.windows = windows;
    this.counts = new Float64Array(windows.ends.length);
    this.last = new Int32Array(userCount).fill(never);
    this.endingIn = new Int32Array(elementCount);
  }

  /** Forgets all users but excluded ones, for a pass over other users. */
  restart(): void {
    for (let user = 0; user < this.last.length; user++) if (this.last[user] !== excluded) this.last[user] = never;
    this.endingIn.fill(0);
    this.active = this.start = this.element = this.nextWindow = 0;
  }

  exclude(users: readonly number[]): void {
    for (const user of users) if (user < this.last.length) this.last[user] = excluded; // SU2
  }

  /** Saves the state of a pass without windows. */
  save(): SlidingState {
    return {last: this.last.slice(), endingIn: this.endingIn.slice()};
  }

  /**
   * Resumes from the state of another pass over the same elements. Users and elements may have been added or removed since, as
   * after a log that lost its tail; removed users were in none of these elements.
   */
  resume({last, endingIn}: SlidingState): void {
    this.last.set(last.subarray(0, this.last.length));
    this.endingIn.set(endingIn.subarray(0, this.endingIn.length));
  }

  begin(element: number): void {
    this.closeWindows(element);
    this.element = element;
  }

  visit(user: number): void {
    const last = this.last[user];
    if (last >= this.element) return;
    if (last >= this.start) this.endingIn[last] -= 1;
    else this.active += 1;
    this.endingIn[this.element] += 1;
    this.last[user] = this.element;
  }

  finish(): void {
    this.closeWindows(this.endingIn.length);
  }

  /** Whether the user was active in this element or a later one. Call it after `finish`. */
  wasActiveSince(user: number, element: number): boolean {
    return this.last[user] >= element && this.last[user] !== excluded;
  }

  /** Users of this pass whose last active element so far is this one. */
  lastActiveIn(element: number): number {
    return this.endingIn[element];
  }

  private closeWindows(element: number): void {
    const {starts, ends} = this.windows;
    while (this.nextWindow < ends.length && ends[this.nextWindow] <= element) {
      while (this.start < starts[this.nextWindow]) this.active -= this.endingIn[this.start++];
      this.counts[this.nextWindow] += this.active;
      this.nextWindow += 1;
    }
  }
}
