// Stickiness: the number of users active in exactly k buckets of the range.

export class StickinessCells {
  /** Number of users active in exactly k buckets, at k - 1. */
  private readonly users: Float64Array;

  constructor(bucketCount: number) {
    this.users = new Float64Array(bucketCount);
  }

  /** Counts a user who was active in `bucketCount` buckets. */
  addUser(bucketCount: number): void {
    this.users[bucketCount - 1] += 1;
  }

  /** `"data":[…],"total":n`. `isAtLeast`: users active in k or more buckets. */
  fields(isAtLeast: boolean): string {
    const users = this.users.slice();
    if (isAtLeast) for (let at = users.length - 2; at >= 0; at--) users[at] += users[at + 1];
    const data = Array.from(users, (count, at) => `{"buckets":${at + 1},"users":${count}}`);
    const total = this.users.reduce((sum, count) => sum + count, 0);
    return `"data":[${data.join()}],"total":${total}`;
  }
}
