// Answers by their tag: the same question over the same snapshots is computed once, also when many ask it at once.
import type {Asker} from '../../asks/asker.js';
import {SharedRun} from '../../pacing/shared-run.js';

/** An answer that is being computed. */
interface Computing {
  readonly run: SharedRun<string>;
  readonly shareWith: (caller: string) => void;
}

/** What computes an answer. */
export interface Computation {
  readonly work: (stop: AbortSignal) => Promise<string>;
  /** Another caller waits for the answer, too. */
  readonly shareWith?: (caller: string) => void;
}

export class AnswerCache {
  private readonly charsMax: number;
  private chars = 0;
  /** Least recently used first. */
  private readonly held = new Map<string, string>();
  private readonly computing = new Map<string, Computing>();

  constructor(charsMax: number) {
    this.charsMax = charsMax;
  }

  /** The cached answer, or a computed one; a failure reaches only the callers that wait for it. @throws Stopped */
  async get(tag: string, {caller, gone}: Asker, begin: () => Computation): Promise<string> {
    const held = this.held.get(tag);
    if (held !== undefined) {
      this.held.delete(tag);
      this.held.set(tag, held);
      return held;
    }
    const started = this.computing.get(tag);
    if (started !== undefined && !started.run.isStopped) {
      started.shareWith(caller);
      return started.run.join(gone);
    }
    return this.start(tag, begin()).join(gone);
  }

  private start(tag: string, {work, shareWith = () => undefined}: Computation): SharedRun<string> {
    const run = new SharedRun(async (stop) => {
      try {
        const body = await work(stop);
        this.keep(tag, body);
        return body;
      } finally {
        if (this.computing.get(tag)?.run === run) this.computing.delete(tag);
      }
    });
    this.computing.set(tag, {run, shareWith});
    return run;
  }

  private keep(tag: string, body: string): void {
    if (body.length > this.charsMax) return;
    const before = this.held.get(tag);
    if (before !== undefined) this.chars -= before.length;
    this.held.delete(tag);
    this.held.set(tag, body);
    this.chars += body.length;
    for (const [oldest, {length}] of this.held) {
      if (this.chars <= this.charsMax) break;
      this.held.delete(oldest);
      this.chars -= length;
    }
  }
}
