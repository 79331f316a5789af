// An answer without a fixed end: frames, until its writer ends it or its client leaves.
//   SA1. Bytes that the socket does not take at once wait in uWebSockets.js: one frame at most, as nothing is written until it is
//        taken.
//   SA2. A stream ends once: by `end`, `breakOff` or `cut`, or when its client leaves; later calls do nothing.
import type {HttpResponse} from './transport.js';

export class StreamAnswer {
  /** The client has not taken the newest frame yet. SA1 */
  isBlocked = false;
  private isOver = false;
  private whenFree: () => void = () => {};
  private whenOver: () => void = () => {};

  constructor(private readonly res: HttpResponse) {
    res.onWritable(() => {
      if (!this.isBlocked || this.isOver) return true;
      this.isBlocked = false;
      this.whenFree();
      return true;
    });
  }

  /** Each is called once. `free`: the waiting frame is taken; `over`: the client has left (SA2). */
  listen({free, over}: {readonly free: () => void; readonly over: () => void}): void {
    this.whenFree = free;
    this.whenOver = over;
  }

  /** `writeLines` writes the header lines. */
  begin(writeLines: () => void): void {
    this.res.cork(() => {
      writeLines();
      this.res.writeHeader('Connection', 'close');
    });
  }

  /** Writes a frame. Call it only while not `isBlocked`. */
  write(piece: string | Buffer): void {
    if (this.isOver) return;
    this.res.cork(() => {
      this.isBlocked = !this.res.write(piece);
    });
  }

  /** Ends with a last piece, if the client reads. */
  end(piece: string | Buffer): void {
    if (this.isOver) return;
    if (this.isBlocked) {
      this.cut();
      return;
    }
    this.over();
    this.res.cork(() => {
      this.res.write(piece);
      // `end` with a close would write a header line into the chunks. The head told the client that this is the last answer.
      this.res.end();
    });
  }

  /** Writes a last piece, if the client reads, and closes the connection before the answer ends: clients report it as cut. */
  breakOff(piece: string | Buffer): void {
    if (!this.isBlocked) this.write(piece);
    this.cut();
  }

  /** Closes the connection: `left` follows. */
  cut(): void {
    if (!this.isOver) this.res.close();
  }

  /** The client has left. */
  left(): void {
    if (!this.isOver) this.over();
  }

  private over(): void {
    this.isOver = true;
    this.whenOver();
  }
}
