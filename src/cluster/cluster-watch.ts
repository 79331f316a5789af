// The cluster as an edge sees it: its watch of the bucket, the lines of partitions that nobody owns, and the rise of the level.
//   Does not own: what the records mean (actors/cluster/overview.ts).
//   CW1. A bucket that is missing, as before the first process that folds, is waited for: nothing of an edge needs it.
//   CW2. Time in which this process did not run does not count: it heard nobody then, and nobody was silent for it.
import {LevelRise} from '../../actors/cluster/level.js';
import {Overview, type OverviewMember} from '../../actors/cluster/overview.js';
import {throwBroken} from '../../actors/invariant.js';
import {monotonicMs, wallMs} from '../clock.js';
import {BucketFault, type KeyBucket} from '../keys/key-bucket.js';
import type {Logger} from '../observe.js';

const lookEveryMs = 1_000;
/** CW2 */
const betweenLooksMsMax = 3 * lookEveryMs;
/** For so long a membership that was lost stays an alarm: nobody looks every second. */
const rememberedMs = 24 * 60 * 60 * 1_000;

/** The level in the record of the deployment. Rejects while NATS does not answer. */
export interface StoredLevel {
  read(): Promise<number>;
  /** Raises it by one; false: it is another one by now. */
  raise(from: number): Promise<boolean>;
}

export class ClusterWatch {
  private readonly overview: Overview;
  private readonly stored: StoredLevel;
  private readonly rise = new LevelRise();
  private level: number;
  private rising: Promise<void> | undefined;
  private readonly logger: Logger;
  private readonly bucket: Pick<KeyBucket, 'watch' | 'stop'>;
  private readonly looking: NodeJS.Timeout;
  private reported: readonly number[] = [];
  /** CW2 */
  private readonly watched = {ms: 0, untilMs: monotonicMs()};

  /** `level`: when this process started. */
  constructor(
    bucket: Pick<KeyBucket, 'watch' | 'stop'>,
    partitionCount: number,
    level: number,
    stored: StoredLevel,
    logger: Logger,
  ) {
    this.level = level;
    this.stored = stored;
    this.overview = new Overview(partitionCount, this.nowMs());
    this.logger = logger;
    this.bucket = bucket;
    bucket
      .watch({
        returned: () => undefined,
        all: (records) => this.overview.begin(records, this.nowMs()),
        changed: (record) => this.overview.tell(record, this.nowMs()),
      })
      .catch((error: unknown) => {
        if (!(error instanceof BucketFault)) throw error; // The connection ended: the watch of the keys ends the process.
      });
    this.looking = setInterval(() => this.look(), lookEveryMs);
  }

  /** Ms for which this process has watched. CW2 */
  private nowMs(): number {
    const {watched} = this;
    const nowMs = monotonicMs();
    watched.ms += Math.min(nowMs - watched.untilMs, betweenLooksMsMax);
    watched.untilMs = nowMs;
    return watched.ms;
  }

  get members(): readonly OverviewMember[] {
    return this.overview.membersAt(this.nowMs());
  }

  /** Partitions that nobody has owned for long. */
  get unowned(): readonly number[] {
    return this.overview.unowned(this.nowMs());
  }

  /** Whether a process lost its membership lately, and joined again. */
  get hasReturned(): boolean {
    return this.members.some(
      ({role, isBack, sinceMs}) => role === 'partition' && isBack && wallMs() - sinceMs < rememberedMs,
    );
  }

  /** Undefined: nobody owns the partition. */
  ownerOf(partition: number): string | undefined {
    return this.overview.ownerOf(partition);
  }

  private look(): void {
    const {unowned, reported} = this;
    for (const partition of unowned)
      if (!reported.includes(partition))
        this.logger.error({alarm: 'partition_unowned', partition}, 'alarm: no process owns the partition');
    for (const partition of reported)
      if (!unowned.includes(partition))
        this.logger.info({alarm: 'partition_unowned', partition}, 'a process owns the partition again');
    this.reported = unowned;
    if (this.rise.isDue(this.members, this.level, this.nowMs()))
      this.rising ??= this.raise().finally(() => {
        this.rising = undefined;
      });
  }

  /** Never rejects but for a broken invariant: the next look tries again. */
  private async raise(): Promise<void> {
    try {
      const {level} = this;
      if (await this.stored.raise(level)) this.logger.info({level: level + 1}, 'all members write newer formats now');
      this.level = await this.stored.read();
      this.rise.reset();
    } catch (error) {
      throwBroken(error);
    }
  }

  stop(): void {
    clearInterval(this.looking);
    this.bucket.stop();
  }
}
