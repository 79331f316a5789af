// Answers by their tag: the same question over the same snapshots is computed once, also when many ask it at once.

export class AnswerCache {
  private readonly charsMax: number;
  private chars = 0;
  /** Least recently used first. */
  private readonly held = new Map<string, string>();
  private readonly computing = new Map<string, Promise<string>>();

  constructor(charsMax: number) {
    this.charsMax = charsMax;
  }

  /** The cached answer, or a computed one; a failure reaches only the callers that wait for it. */
  async get(tag: string, compute: () => Promise<string>): Promise<string> {
    const held = this.held.get(tag);
    if (held !== undefined) {
      this.held.delete(tag);
      this.held.set(tag, held);
      return held;
    }
    const started = this.computing.get(tag);
    if (started !== undefined) return started;
    const computing = compute();
    this.computing.set(tag, computing);
    try {
      const body = await computing;
      this.keep(tag, body);
      return body;
    } finally {
      this.computing.delete(tag);
    }
  }

  private keep(tag: string, body: string): void {
    if (body.length > this.charsMax) return;
    this.held.set(tag, body);
    this.chars += body.length;
    for (const [oldest, {length}] of this.held) {
      if (this.chars <= this.charsMax) break;
      this.held.delete(oldest);
      this.chars -= length;
    }
  }
}
