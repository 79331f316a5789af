// When a deployment may write the next formats. Its level is the newest format of stored data and messages that may be written, and each
// member says which range of levels its program reads and writes.
//   LV1. Nobody starts whose range lacks the level (src/nats/topology.ts): no member meets what it cannot read.
//   LV2. The level rises by one, once all members have had the next one in their ranges for `agreedMs`. If a member without it
//        joins, that time begins again. An operator may raise the level sooner, but not while a member lacks the next one.
//   LV3. It never falls: data of the newer formats is stored.
import type {MemberCard} from './records.js';

/** Time to go back to the version before. LV2 */
export const agreedMs = 600_000;

type Ranged = Pick<MemberCard, 'levels'>;

/** Members that do not read and write this level. */
export const lackingLevel = <Member extends Ranged>(members: readonly Member[], level: number): Member[] =>
  members.filter(({levels: [oldest, newest]}) => level < oldest || level > newest);

export class LevelRise {
  private sinceMs: number | undefined;

  /** Whether the level may rise above this one. Call it several times a minute. `nowMs`: monotonic. LV2 */
  isDue(members: readonly Ranged[], level: number, nowMs: number): boolean {
    if (members.length === 0 || lackingLevel(members, level + 1).length > 0) this.sinceMs = undefined;
    else this.sinceMs ??= nowMs;
    return this.sinceMs !== undefined && nowMs - this.sinceMs >= agreedMs;
  }

  /** The level is another one. */
  reset(): void {
    this.sinceMs = undefined;
  }
}
