// The edge's side of the worker thread that writes Parquet files. Files take turns in it, a row group each.
import {Worker} from 'node:worker_threads';
import type {FromParquet, ParquetWork, ToParquet} from './worker.js';

/** A row group of 4 MiB takes some 50 MiB while it is written, and files keep their footers. */
const heapMibMax = 256;

interface Waiting {
  readonly resolve: (bytes: Buffer) => void;
  readonly reject: (error: Error) => void;
}

export class ParquetThread {
  /** Started with the first file: most deployments never write one. */
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private works = 0;
  private files = 0;

  nextFile(): number {
    this.files += 1;
    return this.files;
  }

  /** @returns the bytes of the file that the work makes. Rejects when it fails, or the thread ends. */
  write(work: ParquetWork): Promise<Buffer> {
    this.worker ??= this.start();
    const id = ++this.works;
    this.worker.postMessage({id, work} satisfies ToParquet, 'lines' in work ? [work.lines.buffer] : []);
    return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
  }

  /** The file will not be continued. */
  forget(file: number): void {
    this.worker?.postMessage({forget: file} satisfies ToParquet);
  }

  private start(): Worker {
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      resourceLimits: {maxOldGenerationSizeMb: heapMibMax},
    });
    worker.on('message', (message: FromParquet) => {
      const answer = this.waiting.get(message.id)!;
      this.waiting.delete(message.id);
      if ('bytes' in message) answer.resolve(Buffer.from(message.bytes.buffer));
      else answer.reject(message.error);
    });
    // Its memory ran out, or it has a bug: the files that are written now are cut.
    worker.on('error', (error) => {
      this.worker = undefined;
      for (const answer of this.waiting.values()) answer.reject(error);
      this.waiting.clear();
    });
    return worker;
  }

  async stop(): Promise<void> {
    await this.worker?.terminate();
  }
}
