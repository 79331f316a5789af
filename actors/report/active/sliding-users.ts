// Distinct users of many windows in one pass over time: the windows' starts and ends never move back.
//   Time is cut into elements (days or hours). The caller walks them in order and says who was active in each; a user is
//   counted where it was active last, so a window that ends now holds as many users as were last active since its start.
//   Constant work per (element, user) pair, whatever the windows' length and number.
//   SU1. Elements are begun in ascending order, and `finish` comes after the last.
//   SU2. An excluded user (erased, but still in old window runs) counts nowhere.

/** Windows over elements: window w is [starts[w], ends[w]), neither ever smaller than that of window w - 1. */
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
  /** Adds up over `restart`s: distinct users of each window. */
  readonly counts: Float64Array;
  private readonly windows: ElementWindows;
  /** Element in which each user was active last. */
  private readonly last: Int32Array;
  /** Users whose last active element is this one. */
  private readonly endingIn: Int32Array;
  /** Sum of `endingIn` from `start` on. */
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

  /** Forgets all users but the excluded ones: for a pass over other users. */
  restart(): void {
    for (let user = 0; user < this.last.length; user++) if (this.last[user] !== excluded) this.last[user] = never;
    this.endingIn.fill(0);
    this.active = this.start = this.element = this.nextWindow = 0;
  }

  exclude(users: readonly number[]): void {
    for (const user of users) if (user < this.last.length) this.last[user] = excluded; // SU2
  }

  /** For passes without windows. */
  save(): SlidingState {
    return {last: this.last.slice(), endingIn: this.endingIn.slice()};
  }

  /**
   * Goes on from the state of another pass over the same elements. Users and elements may have been added since, or removed, as
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

  /** After `finish`: was the user active in this element or a later one? */
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
