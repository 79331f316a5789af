// Joins in the history: ids that occur together, and events that are listed twice.
//   SP1. If an anonymousId has two users, the one whose event was stored first is linked first, as the log would have done.
//        An event whose key may not identify joins no ids, now as when it came.
//   SP2. A joined event keeps its id and time. An event that counts in both of its partitions is listed twice in one
//        millisecond.

export interface HistoryEvent {
  readonly id: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly joined?: true;
  readonly joins?: false;
  readonly timestamp: string;
  readonly received_at: string;
}

export interface Pair {
  readonly userId: string;
  readonly anonymousId: string;
}

/** An event that was listed twice. */
export type Double = Pick<HistoryEvent, 'id' | 'timestamp'>;

export class StoredPairs {
  events = 0;
  readonly doubles: Double[] = [];
  /** Receipt time of the first event with both ids, by anonymousId and userId. */
  private readonly firsts = new Map<string, Map<string, string>>();
  private timestamp = '';
  private readonly idsOfTimestamp = new Set<string>();

  /** Takes the next event of the history, in its order. */
  take({id, userId, anonymousId, joined, joins, timestamp, received_at}: HistoryEvent): void {
    this.events += 1;
    if (timestamp !== this.timestamp) this.idsOfTimestamp.clear();
    this.timestamp = timestamp;
    if (this.idsOfTimestamp.has(id)) this.doubles.push({id, timestamp}); // SP2
    this.idsOfTimestamp.add(id);
    if (userId === null || anonymousId === null || joined || joins === false) return;
    const users = this.firsts.get(anonymousId) ?? new Map<string, string>();
    this.firsts.set(anonymousId, users);
    const first = users.get(userId);
    if (first === undefined || received_at < first) users.set(userId, received_at);
  }

  get count(): number {
    let count = 0;
    for (const users of this.firsts.values()) count += users.size;
    return count;
  }

  /** Pairs of ids in the order of their links. SP1 */
  *pairs(): Generator<Pair> {
    for (const [anonymousId, users] of this.firsts) {
      const inOrder = [...users].sort(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0));
      for (const [userId] of inOrder) yield {userId, anonymousId};
    }
  }
}
