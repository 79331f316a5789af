// The event stream of the dashboard, without a browser.
import type {IncomingMessage} from 'node:http';
import {HttpClient} from '../../tools/http-client.js';
import type {BrowserClient} from './browser-client.js';
import {until} from './until.js';

export interface StreamEvent {
  readonly topic: string;
  readonly data: string;
}

/** A raw client of the event stream. */
export class StreamReader {
  readonly events: StreamEvent[] = [];
  isOver = false;
  private rest = '';

  constructor(private readonly incoming: IncomingMessage) {
    incoming.setEncoding('utf8').on('data', (text: string) => this.take(text));
    const over = (): void => {
      this.isOver = true;
    };
    incoming.on('end', over).on('error', over).on('close', over);
  }

  get status(): number {
    return this.incoming.statusCode!;
  }

  of<Data>(topic: string): Data[] {
    return this.events.filter((event) => event.topic === topic).map(({data}) => JSON.parse(data) as Data);
  }

  /** The newest of a topic, once there is one that `isRight`. */
  async first<Data>(topic: string, isRight: (data: Data) => boolean = () => true): Promise<Data> {
    const found = await until(`the stream has ${topic}`, () => {
      const data = this.of<Data>(topic).find(isRight);
      return data !== undefined && {data};
    });
    return found.data;
  }

  /** Nothing is read of it from here on. */
  pause(): void {
    this.incoming.pause();
  }

  close(): void {
    this.incoming.destroy();
  }

  private take(text: string): void {
    const frames = (this.rest + text).split('\n\n');
    this.rest = frames.pop()!;
    for (const frame of frames) {
      const topic = /^event: (.*)$/m.exec(frame)?.[1];
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (topic !== undefined && data !== undefined) this.events.push({topic, data});
    }
  }
}

/** As whoever is signed in there. */
export async function openStream({baseUrl, cookie}: BrowserClient, parameters = ''): Promise<StreamReader> {
  const path = `/dashboard/api/stream${parameters}`;
  return new StreamReader(await new HttpClient(baseUrl).open('GET', path, {headers: {cookie}}));
}
