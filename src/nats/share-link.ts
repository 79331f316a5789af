// Shares of questions between report processes (src/report/shards.ts): a question, and its answer in pieces that NATS carries.
//   SL1. Who works on a share says so every `aliveMs`. One that says nothing for `silentMsMax` is silent: it died, was paused, or is
//        cut off.
//   SL2. An answer is whole or refused: its last piece says how many bytes it has. A question that NATS does not carry is refused, too: it
//        names the values of a breakdown, which clients choose.
//   SL3. Another version may mean something else by a question or a partial: its shares are refused.
import {randomBytes} from 'node:crypto';
import {createInbox, type Msg, type NatsConnection} from 'nats';
import {throwBroken} from '../../actors/invariant.js';
import type {Asker} from '../asks/asker.js';
import {OpenQuestions} from '../asks/open-questions.js';
import {askPartialSubject, replyBytesMax} from '../asks/subjects.js';
import type {AskedShare} from '../report/rounds.js';
import type {Peers} from '../report/shards.js';
import {commit, version} from '../version.js';
import {askedHeaders, leftSubject, readAskedHeaders} from './asked-headers.js';
import {pack, unpack} from './packed.js';

const aliveMs = 250;
const silentMsMax = 1_000;
/** No question waits longer: a process whose asker has died stops then. */
const shareMsMax = 120_000;

const sameVersion = `${version} ${commit}`;
/** First byte of a message. `last`: four bytes with the length of the whole answer follow. */
const frames = {alive: 0, piece: 1, last: 2, refused: 3} as const;
const noResponders = 503;

interface VersionedShare extends AskedShare {
  readonly version: string;
}

export class ShareLink {
  private readonly nc: NatsConnection;
  private readonly open = new OpenQuestions();
  private readonly prefix = randomBytes(9).toString('base64url');
  private asked = 0;

  constructor(nc: NatsConnection) {
    this.nc = nc;
  }

  readonly ask: Peers['ask'] = (id, asked, {caller, gone}) => {
    const {nc} = this;
    const question = pack({...asked, version: sameVersion} satisfies VersionedShare);
    if (!this.canPublish || gone.aborted || question.length > replyBytesMax) return Promise.resolve('refused'); // SL2
    this.asked += 1;
    const number = `${this.prefix}.${this.asked}`;
    const subject = askPartialSubject(id);
    const answer = new PiecedAnswer();
    return new Promise((resolve) => {
      let silence: NodeJS.Timeout;
      const end = (outcome: Uint8Array | 'refused' | 'silent'): void => {
        clearTimeout(silence);
        gone.removeEventListener('abort', leave);
        heard.unsubscribe();
        resolve(outcome);
      };
      const giveUp = (outcome: 'refused' | 'silent'): void => {
        if (this.canPublish) nc.publish(leftSubject(subject), number);
        end(outcome);
      };
      const leave = (): void => giveUp('refused');
      const wait = (): void => {
        clearTimeout(silence);
        silence = setTimeout(() => giveUp('silent'), silentMsMax);
      };
      const heard = nc.subscribe(createInbox(), {
        callback: (error, message) => {
          if (error !== null || message.headers?.code === noResponders) return end('silent');
          wait();
          const outcome = answer.add(message.data);
          if (outcome !== undefined) end(outcome);
        },
      });
      gone.addEventListener('abort', leave);
      wait();
      const headers = askedHeaders({number, caller, msMax: shareMsMax});
      nc.publish(subject, question, {reply: heard.getSubject(), headers});
    });
  };

  /** False also while the connection drains: it throws then. */
  private get canPublish(): boolean {
    return !this.nc.isClosed() && !this.nc.isDraining();
  }

  /** Answers shares that are asked of this id. @returns a function that ends that. */
  serve(id: string, answer: (asked: AskedShare, asker: Asker) => Promise<Uint8Array | undefined>): () => void {
    const subject = askPartialSubject(id);
    const asked = this.nc.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) void this.respond(message, answer);
      },
    });
    const left = this.nc.subscribe(leftSubject(subject), {
      callback: (_, message) => this.open.left(message.string()),
    });
    return () => {
      asked.unsubscribe();
      left.unsubscribe();
    };
  }

  private async respond(
    message: Msg,
    answer: (asked: AskedShare, asker: Asker) => Promise<Uint8Array | undefined>,
  ): Promise<void> {
    const alive = setInterval(() => message.respond(Uint8Array.of(frames.alive)), aliveMs); // SL1
    try {
      const asked = askedIn(message.data);
      const by = readAskedHeaders(message.headers);
      const bytes = asked && by && (await this.open.during(by.number, by, (asker) => answer(asked, asker)));
      for (const piece of bytes === undefined ? [Uint8Array.of(frames.refused)] : piecesOf(bytes))
        message.respond(piece);
    } finally {
      clearInterval(alive);
    }
  }
}

/** Undefined: another version asks, or something that is no share. SL3 */
function askedIn(bytes: Uint8Array): VersionedShare | undefined {
  try {
    const asked = unpack<VersionedShare | null>(bytes);
    return asked?.version === sameVersion ? asked : undefined;
  } catch (error) {
    throwBroken(error);
    return undefined;
  }
}

/** The messages of an answer. SL2 */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array, void, void> {
  let at = 0;
  for (; bytes.length - at > replyBytesMax; at += replyBytesMax)
    yield Buffer.concat([Uint8Array.of(frames.piece), bytes.subarray(at, at + replyBytesMax)]);
  const head = Buffer.alloc(5);
  head.writeUInt8(frames.last);
  head.writeUInt32LE(bytes.length, 1);
  yield Buffer.concat([head, bytes.subarray(at)]);
}

/** The pieces that came. SL2 */
class PiecedAnswer {
  private readonly pieces: Uint8Array[] = [];

  /** The answer, once it is whole. */
  add(message: Uint8Array): Uint8Array | 'refused' | undefined {
    switch (message[0]) {
      case frames.alive:
        return undefined;
      case frames.piece:
        this.pieces.push(message.subarray(1));
        return undefined;
      case frames.last: {
        if (message.length < 5) return 'refused';
        const whole = Buffer.concat([...this.pieces, message.subarray(5)]);
        return whole.length === Buffer.from(message).readUInt32LE(1) ? whole : 'refused';
      }
      default:
        return 'refused';
    }
  }
}
