// What a live read has to wait for: a sequence of the log at or above every write that was acked before the question left.
import type {AckedSequences} from '../../ingest/acked-sequences.js';
import type {LogReader} from './log-reader.js';

export class NewestWrite {
  private readonly reader: Pick<LogReader, 'lastSequence'>;
  private readonly partition: number;
  private readonly acked: AckedSequences | undefined;
  /** Nothing was acked over this connection before the log was asked, nor, while it is used, since. */
  private asked: {readonly connection: bigint; readonly sequence: number} | undefined;

  /** `acked`: where the edge of this process alone writes events; otherwise the log is asked each time. */
  constructor(reader: Pick<LogReader, 'lastSequence'>, partition: number, acked: AckedSequences | undefined) {
    this.reader = reader;
    this.partition = partition;
    this.acked = acked;
  }

  /**
   * `seen`: what was acked when the question left, if that is known; what came meanwhile is not waited for.
   * Rejects when the log has to be asked and does not answer.
   */
  async sequence(seen?: AckedSequences): Promise<number> {
    if (this.acked === undefined) return this.reader.lastSequence();
    // Over another connection sequences may be of another log.
    const known = seen?.connection === this.acked.connection ? seen : this.acked;
    const newest = known.newest(this.partition);
    if (newest !== undefined) return newest;
    // Looked at after the above: what the log said over an older connection says nothing of acks that came over that one since.
    const {connection} = this.acked;
    if (this.asked?.connection === connection) return this.asked.sequence;
    const sequence = await this.reader.lastSequence();
    this.asked = {connection, sequence};
    return sequence;
  }
}
