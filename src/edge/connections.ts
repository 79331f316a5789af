// Open connections. Past the bound a new one is closed at once: without files left the process could not even accept and
// close it, would be asked about it for ever, and could not reach NATS again after a lost connection.

import type {HttpResponse, TemplatedApp} from 'uWebSockets.js';
import {readFileSync} from 'node:fs';

/** Files for everything else: NATS, parts, workers, logs. */
const otherFiles = 256;
/** More than that takes memory that nobody planned for: some 20 KB each, in the kernel mostly. */
const connectionsMax = 50_000;

export class Connections {
  readonly max = Math.min(connectionsMax, Math.max(openFilesMax() - otherFiles, 1));
  private count = 0;

  get open(): number {
    return this.count;
  }

  /** Before `app` listens. */
  watch(app: TemplatedApp): void {
    app.filter(this.change);
  }

  private readonly change = (res: HttpResponse, change: unknown): void => {
    this.count += Number(change);
    if (Number(change) > 0 && this.count > this.max) res.close();
  };
}

/** How many files this process may open. Where the system does not tell, a number that is common. */
function openFilesMax(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? connectionsMax : Number(soft);
  } catch {
    return 1_024;
  }
}
