// When each user of a partition was created and last seen, from the runs of user records.
//   SU1. Last seen means, as in a profile, the latest event, or the latest identify of a user without events.
import {UserBlockReader, type UserRecord} from '../../user/user-records.js';

/** Bytes for one user. */
export const seenUserBytes = 24;

export class SeenUsers {
  /** Epoch ms by user index; `Infinity` for users without a record. */
  private readonly createdMs: Float64Array;
  private readonly eventMs: Float64Array;
  private readonly identifyMs: Float64Array;

  constructor(userCount: number) {
    this.createdMs = new Float64Array(userCount).fill(Number.POSITIVE_INFINITY);
    this.eventMs = new Float64Array(userCount).fill(Number.NEGATIVE_INFINITY);
    this.identifyMs = new Float64Array(userCount).fill(Number.NEGATIVE_INFINITY);
  }

  /** Adds a block of any run, in any order. */
  addBlock(payload: Uint8Array): void {
    const reader = new UserBlockReader(payload);
    for (let record = reader.next(); record !== undefined; record = reader.next()) this.add(record);
  }

  private add({user, createdMs, lastEventMs, lastIdentifyMs}: UserRecord): void {
    if (createdMs < this.createdMs[user]) this.createdMs[user] = createdMs;
    if (lastEventMs !== undefined && lastEventMs > this.eventMs[user]) this.eventMs[user] = lastEventMs;
    if (lastIdentifyMs !== undefined && lastIdentifyMs > this.identifyMs[user]) this.identifyMs[user] = lastIdentifyMs;
  }

  has(user: number): boolean {
    return this.createdMs[user] !== Number.POSITIVE_INFINITY;
  }

  createdAt(user: number): number {
    return this.createdMs[user];
  }

  /** Time at which the user was last seen, epoch ms. SU1 */
  lastSeenAt(user: number): number {
    if (this.eventMs[user] !== Number.NEGATIVE_INFINITY) return this.eventMs[user];
    return this.identifyMs[user] === Number.NEGATIVE_INFINITY ? this.createdMs[user] : this.identifyMs[user];
  }
}
