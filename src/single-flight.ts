// Single flight: callers share one run of a task that began after their call.
//   A run that began before may have read the world before it changed, so it is not enough.

export class SingleFlight<T> {
  private readonly task: () => Promise<T>;
  private running: Promise<T> | undefined;
  private next: Promise<T> | undefined;

  constructor(task: () => Promise<T>) {
    this.task = task;
  }

  run(): Promise<T> {
    if (this.next !== undefined) return this.next;
    if (this.running === undefined) return this.start();
    this.next = this.afterCurrent(this.running);
    return this.next;
  }

  private async afterCurrent(current: Promise<T>): Promise<T> {
    await Promise.allSettled([current]);
    this.next = undefined;
    return this.start();
  }

  private start(): Promise<T> {
    const run = this.task().finally(() => {
      if (this.running === run) this.running = undefined;
    });
    this.running = run;
    return run;
  }
}
