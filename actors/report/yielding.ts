// Which of the values in a bounded memory yield to one that questions ask for now.
//   YD1. A value yields to a newcomer that was asked for twice since the value was last asked for. Two that are asked for in
//        turn never replace each other.
//   YD2. A value stays for `stayMs` after it was built. Two that are asked for several times each, in turn, would otherwise be
//        built again and again.
//   YD3. The values that were asked for least recently yield, and no more than needed. If all that may yield are not enough,
//        none does.

/** A build takes a second or two of the thread over ten million events: two values that alternate cost a tenth of it. YD2 */
export const stayMs = 30_000;

/** A value in memory. Times are ms of a monotonic clock. */
export interface HeldValue {
  readonly bytes: number;
  /** Time of the newest ask. */
  readonly askedMs: number;
  readonly builtMs: number;
}

/** Times of the two newest asks for a value, which may not be built yet. */
export class AskTimes {
  newestMs = Number.NEGATIVE_INFINITY;
  /** Values that were not asked for since then may yield. YD1 */
  beforeNewestMs = Number.NEGATIVE_INFINITY;

  note(nowMs: number): void {
    this.beforeNewestMs = this.newestMs;
    this.newestMs = nowMs;
  }
}

/** AskTimes to which nothing yields. */
export const noAsks = new AskTimes();

/** The values that yield so that `bytes` become free; undefined if those that may yield are not enough. */
export function yielding<V extends HeldValue>(
  held: readonly V[],
  bytes: number,
  {beforeNewestMs}: AskTimes,
  nowMs: number,
): readonly V[] | undefined {
  const idle = held.filter(({askedMs, builtMs}) => askedMs < beforeNewestMs && builtMs + stayMs <= nowMs);
  idle.sort((a, b) => a.askedMs - b.askedMs); // YD3
  const chosen: V[] = [];
  let freed = 0;
  for (const value of idle) {
    if (freed >= bytes) break;
    chosen.push(value);
    freed += value.bytes;
  }
  return freed >= bytes ? chosen : undefined;
}
