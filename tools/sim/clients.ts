// Clients of an edge: they send events, identify and erase, wait for the answer, and send again without one.
//   Every event has its own text (`tok<n>z`), by which it is found in any bytes.
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {
  eventFlag,
  type KeyKind,
  markEntry,
  partitionOfEntry,
  writeErase,
  writeEvent,
  writeIdentify,
  writeLink,
} from '../../actors/log/entries.js';
import type {Commit, CommitWaiter} from '../../src/ingest/log-message.js';
import {type AskPartition, eraseEverywhere, eraseName} from './deletion.js';
import type {SimEdge} from './edge.js';
import type {Chance} from './random.js';
import type {Timeline} from './timeline.js';

/** Users, and the devices of those who name some, by the number of partitions. */
const populations: Readonly<Record<number, Population>> = {
  1: {users: [0, 1, 2, 3, 4, 5], devices: {0: [0], 1: [2], 3: [5], 4: [3]}},
  /** Devices of 0 and 3 live in each other's partition; those of 1 and 9 in their own user's. */
  2: {users: [0, 1, 3, 9, 2, 5, 8, 11, 14], devices: {0: [2, 14], 1: [11], 3: [5], 9: [8]}},
};
const fillerBytes = 60_000;
/** Users who are deleted after all others are done. */
const leaversMax = 2;
/** Share of the time in which requests start, if users are deleted at the end. */
const requestsShare = 0.7;
/** They occur nowhere else: they are searched for on the disk. */
const names = ['nam0event', 'nam1event', 'nam2event', 'nam3event'];
const hourMs = 3_600_000;
/** Time without an answer after which a client sends again. */
const answerMsMax = 7_000;
const triesMax = 6;

export const tokenPattern = /tok\d+z/g;
export const tokenOf = (json: string): string => json.match(tokenPattern)?.[0] ?? '';

interface Population {
  readonly users: readonly number[];
  readonly devices: Readonly<Record<number, readonly number[]>>;
}

interface Event {
  readonly token: string;
  readonly user: number;
  /** The device that a known user names beside its id. */
  readonly device: number | undefined;
  readonly name: string;
  readonly messageId: string | undefined;
  readonly timeMs: number;
  /** What its key says about it (actors/log/entries.ts). */
  readonly mark: number;
}

type Request =
  | {readonly kind: 'events'; readonly events: readonly Event[]}
  | {
      readonly kind: 'identify';
      readonly user: number;
      readonly traits: object;
      readonly messageId: string | undefined;
      readonly sentMs: number | undefined;
    }
  | {readonly kind: 'erase'; readonly user: number; readonly deletion: string}
  | {readonly kind: 'eraseName'; readonly name: string; readonly deletion: string};

type Erase = Request & {kind: 'erase' | 'eraseName'};

export interface ClientOptions {
  readonly partitions: number;
  readonly requestCount: number;
  /** Requests start within this time. */
  readonly durationMs: number;
  readonly erases: boolean;
  /** Known users name devices, which are anonymous users as well. */
  readonly links: boolean;
  /** Events are as long as allowed: some fill a message, some more fill a chunk. */
  readonly isHeavy: boolean;
  /** Some different events have the same message id: only the first one counts. */
  readonly sharesIds: boolean;
  readonly edge: () => SimEdge;
  readonly ask: AskPartition;
  /** Called for a request that was answered 200. */
  readonly acked: (user: number | undefined) => void;
}

export class Clients {
  /** Texts of events that were answered 200. */
  readonly acked = new Set<string>();
  /** The same, by user. */
  readonly ackedOf = new Map<number, Set<string>>();
  /** Number of times that each event was passed to an edge. */
  readonly sent = new Map<string, number>();
  /** Deletions that were accepted. */
  readonly erased = new Set<string>();
  sends = 0;
  private unanswered = 0;
  private readonly chance: Chance;
  private readonly timeline: Timeline;
  private readonly options: ClientOptions;
  private readonly population: Population;
  /** Deletions in progress, by their edges. */
  private readonly deleting = new Map<Answer, SimEdge>();
  /** Time at which the final deletion of each user, and of a name, began. */
  readonly leftMs = new Map<string, number>();
  readonly nameLeftMs = new Map<string, number>();
  private tokens = 0;

  constructor(chance: Chance, timeline: Timeline, options: ClientOptions) {
    this.chance = chance;
    this.timeline = timeline;
    this.options = options;
    this.population = populations[options.partitions] as Population;
    const endMs = options.durationMs * (options.erases && options.links ? requestsShare : 1);
    for (let i = 0; i < options.requestCount; i++) {
      this.unanswered += 1;
      const request = this.draw();
      timeline.schedule(chance.within(0, endMs), undefined, () => this.send(request, 1));
    }
  }

  get isDone(): boolean {
    const isDeleting = [...this.deleting.values()].some(({process}) => !process.isDead);
    return this.unanswered === 0 && !isDeleting;
  }

  private draw(): Request {
    const {chance} = this;
    const user = this.drawUser();
    const isErasable = !this.options.links || keyOf(user)[0] === 'u';
    if (this.options.erases && isErasable && chance.chance(0.08))
      return {kind: 'erase', user, deletion: this.drawDeletion()};
    if (this.options.erases && chance.chance(0.03))
      return {kind: 'eraseName', name: chance.pick(names), deletion: this.drawDeletion()};
    if (chance.chance(0.12)) return this.drawIdentify(user);
    return {
      kind: 'events',
      events: Array.from({length: chance.chance(0.3) ? chance.between(2, 6) : 1}, () => this.event()),
    };
  }

  private drawUser(): number {
    const {users} = this.population;
    return users[this.chance.between(0, users.length - 1)] as number;
  }

  private drawDeletion(): string {
    return `del${this.chance.between(0, 1e9)}`;
  }

  /** Draws an identify. Some clocks are ahead, and most requests with a time come late. */
  private drawIdentify(user: number): Request {
    const {chance} = this;
    return {
      kind: 'identify',
      user,
      traits: this.drawTraits(),
      messageId: chance.chance(0.5) ? this.messageId() : undefined,
      sentMs: chance.chance(0.5) ? Math.floor(Date.now() + chance.within(-20, 5) * 1_000) : undefined,
    };
  }

  private drawTraits(): object {
    const value = this.chance.between(0, 99);
    if (this.chance.chance(0.4)) return {email: `tok${this.tokens++}z`};
    return this.chance.chance(0.5) ? {plan: `p${value}`} : {[`k${value % 4}`]: value, plan: null};
  }

  private event(): Event {
    const {chance} = this;
    const user = this.drawUser();
    return {
      token: `tok${this.tokens++}z`,
      user,
      device: this.options.links && keyOf(user)[0] === 'u' && chance.chance(0.3) ? this.drawDevice(user) : undefined,
      name: chance.pick(names),
      messageId: chance.chance(0.75) ? this.messageId() : undefined,
      timeMs: this.eventTime(),
      mark: chance.pick([0, 0, eventFlag.secret, eventFlag.apart]),
    };
  }

  /** Draws a device: nearly always one of the user's own; few devices are shared. */
  private drawDevice(user: number): number {
    const {users, devices} = this.population;
    const own = this.chance.pick(devices[user] ?? [user]);
    return this.chance.chance(0.03) ? this.chance.pick(users.filter((other) => keyOf(other)[0] === 'a')) : own;
  }

  private messageId(): string {
    const isShared = this.options.sharesIds && this.chance.chance(0.1);
    return isShared ? `m${this.chance.between(0, 9)}` : `m${this.tokens}x`;
  }

  /** Draws a time, often at or next to a border of hours and days. */
  private eventTime(): number {
    const {chance} = this;
    const aroundMs = Date.now() + chance.within(-30, 2) * hourMs;
    const borderMs = Math.floor(aroundMs / hourMs) * hourMs;
    return chance.chance(0.3) ? borderMs - chance.between(0, 1) : Math.floor(aroundMs);
  }

  private send(request: Request, tries: number): void {
    this.sends += 1;
    const edge = this.options.edge();
    const answer = new Answer((isStored) => this.answered(request, tries, isStored));
    const timer = this.timeline.schedule(answerMsMax, undefined, () => answer.give(false));
    answer.onGiven = () => {
      timer.isCancelled = true;
    };
    if (edge.process.state !== 'running') answer.give(false);
    else this.handOver(edge, request, answer);
  }

  private handOver(edge: SimEdge, request: Request, answer: Answer): void {
    for (const token of JSON.stringify(request).match(tokenPattern) ?? [])
      this.sent.set(token, (this.sent.get(token) ?? 0) + 1);
    if (this.isErase(request)) this.erase(edge, request, answer);
    else this.timeline.as(edge.process, () => append(edge, request, answer, this.options.isHeavy));
  }

  /** Whether it goes on from partition to partition. */
  private isErase(request: Request): request is Erase {
    return request.kind === 'eraseName' || (request.kind === 'erase' && this.options.links);
  }

  private erase(edge: SimEdge, request: Erase, answer: Answer): void {
    const {timeline, options} = this;
    const {deletion} = request;
    this.deleting.set(answer, edge);
    const stored =
      request.kind === 'eraseName'
        ? eraseName(timeline, edge, {id: request.name, deletion})
        : eraseEverywhere(timeline, edge, options.ask, {id: keyOf(request.user)[1], deletion});
    stored.then((isStored) => {
      this.deleting.delete(answer);
      answer.give(isStored);
    });
  }

  private answered(request: Request, tries: number, isStored: boolean): void {
    if (isStored) this.noteStored(request);
    else if (this.isErase(request)) {
      this.eraseAgain(request, tries);
      return;
    }
    const {chance} = this;
    // A client may send again after an answer: the event counts once.
    const sendsAgain = isStored
      ? chance.chance(0.08) && isRepeatable(request)
      : isRepeatable(request) || chance.chance(0.3);
    if (!sendsAgain || tries >= triesMax) {
      this.end();
      return;
    }
    this.timeline.schedule(chance.within(10, 4_000), undefined, () => this.send(request, tries + 1));
  }

  /** Notes that a request is over. */
  private end(): void {
    this.unanswered -= 1;
    if (this.unanswered === 0) this.leave();
  }

  /** Deletes some users and a name at the end: nothing of them may be left. */
  private leave(): void {
    const {erases, links} = this.options;
    if (!erases || this.nameLeftMs.size > 0) return;
    const [name] = names as [string];
    this.unanswered += 1;
    this.nameLeftMs.set(name, this.timeline.nowMs);
    this.send({kind: 'eraseName', name, deletion: this.drawDeletion()}, 1);
    if (!links) return;
    for (const user of this.population.users.filter((one) => keyOf(one)[0] === 'u').slice(0, leaversMax)) {
      this.unanswered += 1;
      this.leftMs.set(keyOf(user)[1], this.timeline.nowMs);
      this.send({kind: 'erase', user, deletion: this.drawDeletion()}, 1);
    }
  }

  /** Repeats some deletions: a deletion that a log has already is carried out in any case. */
  private eraseAgain(request: Erase, tries: number): void {
    const {chance} = this;
    const isFinal =
      request.kind === 'erase' ? this.leftMs.has(keyOf(request.user)[1]) : this.nameLeftMs.has(request.name);
    if (!isFinal && chance.chance(0.5)) {
      this.end();
      return;
    }
    const next = {...request, deletion: this.drawDeletion()};
    this.timeline.schedule(chance.within(10, 4_000), undefined, () => this.send(next, tries + 1));
  }

  private noteStored(request: Request): void {
    if (request.kind === 'events')
      for (const {token, user} of request.events) {
        this.acked.add(token);
        this.ackedOf.set(user, (this.ackedOf.get(user) ?? new Set()).add(token));
      }
    if (request.kind === 'erase' || request.kind === 'eraseName') this.erased.add(request.deletion);
    this.options.acked(request.kind === 'events' ? request.events[0]?.user : undefined);
  }
}

const isRepeatable = (request: Request): boolean =>
  request.kind === 'identify' ||
  (request.kind === 'events' && request.events.every(({messageId}) => messageId !== undefined));

/** The answer to a request: 200 when all of its messages are stored. */
class Answer implements CommitWaiter {
  onGiven: () => void = () => undefined;
  pending = 1;
  private isGiven = false;
  private readonly tell: (isStored: boolean) => void;

  constructor(tell: (isStored: boolean) => void) {
    this.tell = tell;
  }

  settled({outcome}: Commit): void {
    if (outcome !== 'stored') this.give(false);
    else this.one();
  }

  /** A part that the answer waits for has arrived. */
  one(): void {
    this.pending -= 1;
    if (this.pending === 0) this.give(true);
  }

  give(isStored: boolean): void {
    if (this.isGiven) return;
    this.isGiven = true;
    this.onGiven();
    this.tell(isStored);
  }
}

const scratch = new ByteWriter(4_096);

function append(edge: SimEdge, request: Request, answer: Answer, isHeavy: boolean): void {
  const messages = new Set<Commit>();
  for (const write of writesOf(request, isHeavy)) {
    scratch.position = 0;
    write(scratch);
    const partition = partitionOfEntry(scratch.bytes, 0, edge.partitionCount);
    const commit = edge.publisher.append(partition, scratch.bytes, 0, scratch.position, answer);
    if (commit === undefined) {
      answer.give(false);
      return;
    }
    messages.add(commit);
  }
  answer.pending += messages.size;
  answer.one();
  edge.keepTicking();
}

type Write = (writer: ByteWriter) => void;

function writesOf(request: Request, isHeavy: boolean): Write[] {
  const nowMs = Date.now();
  switch (request.kind) {
    case 'events':
      return request.events.flatMap((event) => writesOfEvent(event, nowMs, isHeavy));
    case 'identify':
      return [(writer) => writeIdentify(writer, userId(request.user), JSON.stringify(request.traits), nowMs, request)];
    case 'erase':
      return [(writer) => writeErase(writer, ...keyOf(request.user), request.deletion, nowMs)];
    case 'eraseName':
      return []; // deletion.ts writes it.
  }
}

/** Key of a user: every third one is anonymous. */
export const keyOf = (user: number): [KeyKind, string] =>
  user % 3 === 2 ? ['a', deviceId(user)] : ['u', userId(user)];

/** Writes of an event: the link goes to the device's partition, the event to the user's. */
function writesOfEvent(event: Event, nowMs: number, isHeavy: boolean): Write[] {
  const {user, device} = event;
  const write: Write = (writer) => writeOne(writer, event, nowMs, isHeavy);
  if (device === undefined || event.mark === eventFlag.apart) return [write];
  return [write, (writer) => writeLink(writer, deviceId(device), keyOf(user)[1], nowMs)];
}

// Texts that occur nowhere else: they are searched for on the disk.
const userId = (user: number): string => `per${user}son`;
const deviceId = (device: number): string => `dev${device}ice`;

function writeOne(writer: ByteWriter, event: Event, nowMs: number, isHeavy: boolean): void {
  const {token, user, device, name, messageId, timeMs, mark} = event;
  const [kind, id] = keyOf(user);
  const named = device === undefined ? {} : {anonymousId: deviceId(device)};
  const who = kind === 'u' ? {userId: id, ...named} : {anonymousId: id};
  const properties = {t: token, n: user, ...(isHeavy ? {filler: 'x'.repeat(fillerBytes)} : {})};
  const start = writer.position;
  writeEvent(writer, {event: name, ...who, messageId, properties, timeMs, receivedMs: nowMs});
  markEntry(writer.bytes, start, mark);
}
