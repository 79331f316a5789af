// Lines of JSON, written in place into the one buffer that is sent, up to a number of bytes.
//   LI1. A line that does not fit is taken back; the first one always fits.
import {ByteWriter} from '../../../actors/bytes/bytes.js';

interface LinesBound {
  readonly bytesMax: number;
  readonly linesMax?: number;
  /** Byte after each line. */
  readonly separator: number;
}

/** Room for the last line, which may be taken back. */
const lastLineBytes = 4_096;

export class Lines {
  readonly writer: ByteWriter;
  count = 0;
  private readonly bound: Required<LinesBound>;
  private start = 0;

  constructor({linesMax = Number.POSITIVE_INFINITY, ...bound}: LinesBound) {
    this.bound = {...bound, linesMax};
    this.writer = new ByteWriter(bound.bytesMax + lastLineBytes);
  }

  /** Ends the line that was written since the last one. False: there is no room, and it is taken back. LI1 */
  end(): boolean {
    const {writer, bound} = this;
    if (this.count >= bound.linesMax || (this.count > 0 && writer.position + 1 > bound.bytesMax)) {
      this.takeBack();
      return false;
    }
    writer.u8(bound.separator);
    this.start = writer.position;
    this.count += 1;
    return true;
  }

  /** Takes the line back that was begun. */
  takeBack(): void {
    this.writer.position = this.start;
  }

  /** Estimates how many more lines of `lineBytes` bytes fit. At least 1. */
  roomFor(lineBytes: number): number {
    const {linesMax, bytesMax} = this.bound;
    return Math.max(1, Math.min(linesMax - this.count, Math.ceil((bytesMax - this.start) / lineBytes)));
  }

  /** The lines: a view of the buffer, which nothing else uses any more. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.writer.bytes.subarray(0, this.start);
  }
}
