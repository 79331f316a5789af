// An answer that goes on: frames of text, written as they come, until its writer ends it or its client leaves.
//   SA1. What the socket does not take at once waits in uWebSockets.js: one frame at most, as nothing is written after it
//        until it is taken.
//   SA2. It ends once: by `end`, by `cut`, or as its client is gone; whatever is called later does nothing.
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

  /** Once each. `free`: the frame that waited is taken; `over`: nobody reads any more (SA2). */
  listen({free, over}: {readonly free: () => void; readonly over: () => void}): void {
    this.whenFree = free;
    this.whenOver = over;
  }

  /** `writeLines`: of the head. */
  begin(writeLines: () => void): void {
    this.res.cork(() => {
      writeLines();
      this.res.writeHeader('Connection', 'close');
    });
  }

  /** Not while it is blocked. */
  write(text: string): void {
    if (this.isOver) return;
    this.res.cork(() => {
      this.isBlocked = !this.res.write(text);
    });
  }

  /** With a last text, if the client reads at all. */
  end(text: string): void {
    if (this.isOver) return;
    if (this.isBlocked) {
      this.cut();
      return;
    }
    this.over();
    this.res.cork(() => {
      this.res.write(text);
      // Its own way to close writes a header line into the chunks. The head told the client that this is the last answer.
      this.res.end();
    });
  }

  /** Closes the connection: `left` follows. */
  cut(): void {
    if (!this.isOver) this.res.close();
  }

  /** The client is gone. */
  left(): void {
    if (!this.isOver) this.over();
  }

  private over(): void {
    this.isOver = true;
    this.whenOver();
  }
}
