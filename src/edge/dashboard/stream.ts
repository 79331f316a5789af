// The event streams of the dashboard (text/event-stream): what pages show as it happens, once a second.
//   ST1. A frame is a state or a sample: a client that does not read gets the newest one later, and nothing accumulates. Events
//        left out of a stream are counted, and the next frame has their number.
//   ST2. At most `streamsMax` of a process and `streamsOfSessionMax` of a session; a client that takes nothing for
//        `unreadMsMax` is cut off.
//   ST3. A stream lives as long as its session, which is checked with every frame.
//   ST4. A stop ends every stream at once. A drain waits for none of them (exchange.ts).
import {type DashboardRole, mayAs} from '../../keys/dashboard-role.js';
import type {Session} from '../../keys/session.js';
import type {StreamAnswer} from '../http/stream-answer.js';
import type {ArrivedSample} from './answers/stream.js';

export const streamsMax = 64;
export const streamsOfSessionMax = 8;
export const unreadMsMax = 30_000;
/** Well within the 8 s after which uWebSockets.js ends an idle connection. */
const silentFramesMax = 4;

/** The role that each topic needs. */
export const topicRoles = {
  vitals: 'reader',
  published: 'reader',
  refusals: 'analyst',
  arrivals: 'analyst',
  keys: 'admin',
} as const satisfies Readonly<Record<string, DashboardRole>>;
export type Topic = keyof typeof topicRoles;
export const topics = Object.keys(topicRoles) as Topic[];

/** JSON texts of one second, the same for all streams. Undefined: none. */
export interface Frame {
  readonly vitals: string | undefined;
  readonly published: string | undefined;
  readonly refusals: string | undefined;
  /** Number of the newest change of keys. */
  readonly keys: number;
}

export interface StreamOptions {
  readonly topics: readonly Topic[];
  readonly sessionId: string;
  /** Undefined once the session is over. ST3 */
  readonly session: () => Session | undefined;
  /** Arrivals of this stream; undefined for a stream without them. */
  readonly arrivals: (() => ArrivedSample) | undefined;
  /** Names of the columns of `vitals`. */
  readonly schema: string;
  readonly whenOver: () => void;
}

type ByeReason = 'draining' | 'signed_out';

const bye = (why: ByeReason): string => `event: bye\ndata: {"why":"${why}"}\n\n`;
const eventText = (topic: string, data: string): string => `event: ${topic}\ndata: ${data}\n\n`;

export class Streams {
  private readonly open = new Set<Stream>();
  private isOver = false;

  get size(): number {
    return this.open.size;
  }

  /** @returns a place for a new stream; undefined when all are taken. ST2 */
  take(options: StreamOptions): Stream | undefined {
    const ofSession = [...this.open].filter((stream) => stream.sessionId === options.sessionId).length;
    if (this.isOver || this.open.size >= streamsMax || ofSession >= streamsOfSessionMax) return undefined;
    const stream: Stream = new Stream(options, () => {
      this.open.delete(stream);
      options.whenOver();
    });
    this.open.add(stream);
    return stream;
  }

  has(topic: Topic): boolean {
    for (const stream of this.open) if (stream.has(topic)) return true;
    return false;
  }

  /** Called once a second. */
  send(frame: Frame, nowMs: number): void {
    for (const stream of this.open) stream.send(frame, nowMs);
  }

  /** ST4 */
  stop(): void {
    this.isOver = true;
    for (const stream of this.open) stream.end('draining');
  }
}

export class Stream {
  private answer: StreamAnswer | undefined;
  private isEnding = false;
  private blockedSinceMs: number | undefined;
  private dropped = 0;
  private silentFrames = 0;
  private published = '';
  private keys: number | undefined;

  constructor(
    private readonly options: StreamOptions,
    private readonly leave: () => void,
  ) {}

  get sessionId(): string {
    return this.options.sessionId;
  }

  has(topic: Topic): boolean {
    return this.options.topics.includes(topic);
  }

  /** `answer` undefined: the client left before. */
  begin(answer: StreamAnswer | undefined, nowMs: number): void {
    this.answer = answer;
    if (answer === undefined) {
      this.leave();
      return;
    }
    answer.listen({
      free: () => {
        this.blockedSinceMs = undefined; // The next second has the newest state. ST1
      },
      over: this.leave,
    });
    this.write(`retry: 2000\n${eventText('schema', this.options.schema)}`, nowMs);
    if (this.isEnding) this.end('draining');
  }

  send(frame: Frame, nowMs: number): void {
    if (this.answer === undefined) return;
    if (!this.isAllowed()) {
      this.end('signed_out');
      return;
    }
    if (this.blockedSinceMs !== undefined) {
      this.dropped += 1;
      this.options.arrivals?.(); // Dropped: otherwise ten seconds of them would come at once.
      if (nowMs - this.blockedSinceMs > unreadMsMax) this.answer.cut(); // ST2
      return;
    }
    const text = this.textOf(frame);
    this.silentFrames = text === '' ? this.silentFrames + 1 : 0;
    if (text !== '') this.write(text, nowMs);
    else if (this.silentFrames % silentFramesMax === 0) this.write(':\n\n', nowMs);
  }

  end(why: ByeReason): void {
    this.isEnding = true;
    this.answer?.end(bye(why));
  }

  /** ST3 */
  private isAllowed(): boolean {
    const session = this.options.session();
    return session !== undefined && this.options.topics.every((topic) => mayAs(session.role, topicRoles[topic]));
  }

  private textOf({vitals, published, refusals, keys}: Frame): string {
    let text = '';
    if (this.dropped > 0) text += eventText('dropped', String(this.dropped));
    this.dropped = 0;
    if (this.has('vitals') && vitals !== undefined) text += eventText('vitals', vitals);
    if (this.has('published') && published !== undefined && published !== this.published) {
      this.published = published;
      text += eventText('published', published);
    }
    if (this.has('refusals') && refusals !== undefined) text += eventText('refusals', refusals);
    if (this.has('keys') && keys !== this.keys) {
      if (this.keys !== undefined) text += eventText('keys', String(keys));
      this.keys = keys;
    }
    return text + this.arrivalsText();
  }

  private arrivalsText(): string {
    const arrivals = this.options.arrivals?.();
    return arrivals === undefined || arrivals.count === 0 ? '' : eventText('arrivals', JSON.stringify(arrivals));
  }

  private write(text: string, nowMs: number): void {
    this.answer!.write(text);
    if (this.answer!.isBlocked) this.blockedSinceMs = nowMs;
  }
}
