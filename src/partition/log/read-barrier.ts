// Read barrier of a live read: a sequence at or after every write that was acked before the question was sent.
import type {AckedSequences} from '../../ingest/acked-sequences.js';
import type {LogReader} from './log-reader.js';

export class ReadBarrier {
  private readonly reader: Pick<LogReader, 'lastSequence'>;
  private readonly partition: number;
  private readonly acked: AckedSequences | undefined;
  /** The log's answer, while no ack has come over this connection. */
  private asked: {readonly connection: bigint; readonly sequence: number} | undefined;

  /** `acked`: given if only the edge of this process writes events; otherwise the log is asked each time. */
  constructor(reader: Pick<LogReader, 'lastSequence'>, partition: number, acked: AckedSequences | undefined) {
    this.reader = reader;
    this.partition = partition;
    this.acked = acked;
  }

  /**
   * `seen`: acks known when the question was sent; later ones are not awaited. Rejects when the log must be asked and does not
   * answer.
   */
  async sequence(seen?: AckedSequences): Promise<number> {
    if (this.acked === undefined) return this.reader.lastSequence();
    // Sequences known over another connection may be of another log.
    const known = seen?.connection === this.acked.connection ? seen : this.acked;
    const newest = known.newest(this.partition);
    if (newest !== undefined) return newest;
    // Read after `newest`: an answer over an older connection proves nothing about acks that came over it since.
    const {connection} = this.acked;
    if (this.asked?.connection === connection) return this.asked.sequence;
    const sequence = await this.reader.lastSequence();
    this.asked = {connection, sequence};
    return sequence;
  }
}
