// The cluster as an edge sees it: its watch of the bucket, and the lines of partitions that nobody owns.
//   Does not own: what the records mean (actors/cluster/overview.ts).
//   CW1. A bucket that is missing, as before the first process that folds, is waited for: nothing of an edge needs it.
import {Overview, type OverviewMember} from '../../actors/cluster/overview.js';
import {monotonicMs, wallMs} from '../clock.js';
import {BucketFault, type KeyBucket} from '../keys/key-bucket.js';
import type {Logger} from '../observe.js';

const lookEveryMs = 1_000;
/** For so long a membership that was lost stays an alarm: nobody looks every second. */
const rememberedMs = 24 * 60 * 60 * 1_000;

export class ClusterWatch {
  private readonly overview: Overview;
  private readonly logger: Logger;
  private readonly bucket: Pick<KeyBucket, 'watch' | 'stop'>;
  private readonly looking: NodeJS.Timeout;
  private reported: readonly number[] = [];

  constructor(bucket: Pick<KeyBucket, 'watch' | 'stop'>, partitionCount: number, logger: Logger) {
    this.overview = new Overview(partitionCount, monotonicMs());
    this.logger = logger;
    this.bucket = bucket;
    bucket
      .watch({
        returned: () => undefined,
        all: (records) => this.overview.begin(records, monotonicMs()),
        changed: (record) => this.overview.tell(record, monotonicMs()),
      })
      .catch((error: unknown) => {
        if (!(error instanceof BucketFault)) throw error; // The connection ended: the watch of the keys ends the process.
      });
    this.looking = setInterval(() => this.look(), lookEveryMs);
  }

  get members(): readonly OverviewMember[] {
    return this.overview.membersAt(monotonicMs());
  }

  /** Partitions that nobody has owned for long. */
  get unowned(): readonly number[] {
    return this.overview.unowned(monotonicMs());
  }

  /** Whether a process lost its membership lately, and joined again. */
  get hasReturned(): boolean {
    return this.members.some(({isBack, sinceMs}) => isBack && wallMs() - sinceMs < rememberedMs);
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
  }

  stop(): void {
    clearInterval(this.looking);
    this.bucket.stop();
  }
}
