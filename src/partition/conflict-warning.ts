// Warns that clients give different entries the same message id: at once, then at most once a minute. The line contains no
// client data.
import type {Logger} from '../observe.js';

const everyMs = 60_000;

export class ConflictWarning {
  private readonly partition: number;
  private readonly log: Pick<Logger, 'warn'>;
  private said = 0;
  private saidMs = Number.NEGATIVE_INFINITY;

  constructor(partition: number, log: Pick<Logger, 'warn'>) {
    this.partition = partition;
    this.log = log;
  }

  /** `count`: conflicts since the start. */
  note(count: number, nowMs: number): void {
    if (count === this.said || nowMs < this.saidMs + everyMs) return;
    this.log.warn(
      {partition: this.partition, conflicts: count - this.said},
      'events or identifies with the messageId of an earlier, different one were dropped: GET /v1/rejected lists them',
    );
    this.said = count;
    this.saidMs = nowMs;
  }
}
