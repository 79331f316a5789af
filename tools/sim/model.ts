// The slow, obvious model of a deployment: its state after the accepted log messages. Plain maps and loops.
//   Each log is folded by itself (`LogModel`), and all of them together say whose an event is (`ModelOfAll`). Only orders within
//   a log count: an event of a device is its owner's from the first link in the device's log on. An erasure in the device's log
//   deletes it until its owner's log has it, and one in its owner's log from then on.
import {eventJson} from '../../actors/chunk/event-texts.js';
import {entryKind} from '../../actors/log/entries.js';
import {type EntryView, MessageCursor} from '../../actors/log/entry-view.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Numbers of moves begin anew, higher, with each generation of the log that they follow from. */
const numbersPerGeneration = 2 ** 32;
/** Key of no user: the owner of a shared device whose owner was deleted. */
const nobody = '';
/** Sequence of what did not happen. */
const never = Number.POSITIVE_INFINITY;
const isPast = (sequence: number): boolean => sequence < never;

/** An event where it came first. */
interface Row {
  /** `<partition>-<how many rows the partition had before>` */
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly timeMs: number;
  readonly json: string;
  /** Key of its user's owner, if its user is a device. */
  readonly owner: string | undefined;
  readonly isErased: boolean;
  /** The log erases it after the message up to which this holds. */
  readonly isErasedLater: boolean;
  /** The deletion that erases it in its log. */
  readonly deletion: string | undefined;
}

/** An event of a device in the log of its owner. */
interface Arrived {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  /** Its message id came before. */
  readonly isCopy: boolean;
  readonly isErased: boolean;
  readonly deletion: string | undefined;
}

/** Sequences of the messages with an event, its first link and its erasure. */
interface Times {
  readonly at: number;
  /** Number of its user in the log. */
  readonly user: number;
  linkedAt: number;
  erasedAt: number;
  /** It is in a move: its owner's for good. */
  hasLeft: boolean;
}

type Logged<T extends {readonly id: string}> = Times & {-readonly [K in Exclude<keyof T, `isErased${string}`>]: T[K]};

interface Profile {
  readonly traits: Map<string, {readonly value: unknown; readonly setMs: number}>;
  readonly identifiedMs: number[];
  /** Texts that identify the traits of its identifies. */
  readonly texts: Set<string>;
}

/** What one log says, up to a message. */
export interface LogFacts {
  readonly rows: readonly Row[];
  readonly arrived: readonly Arrived[];
  /** By the partition that they come from: the newest move that is there as a whole. */
  readonly received: ReadonlyMap<number, number>;
}

/** Finds the text that identifies an event's JSON. */
type TextOf = (json: string) => string;

export class LogModel {
  readonly partition: number;
  private readonly textOf: TextOf;
  private readonly rows: Logged<Row>[] = [];
  private readonly arrived: Logged<Arrived>[] = [];
  /** Sequence of the message that is applied. */
  private now = 0;
  /** Rows and arrived events that were counted. */
  private counted = 0;
  readonly profiles = new Map<string, Profile>();
  /** Numbers of users by their keys, and how many there were. */
  private readonly numbers = new Map<string, number>();
  private users = 0;
  private readonly owners = new Map<string, {readonly owner: string; isShared: boolean}>();
  private readonly messageIds = new Set<string>();
  private readonly producers = new Map<string, number>();
  /** Moves that are there as a whole, the newest last. */
  private readonly moves: {readonly from: number; readonly n: number; readonly at: number}[] = [];
  private readonly pieces = new Map<number, {move: string; messages: Uint8Array[]}>();
  /** Events that each deletion took here, by its id. */
  readonly deletions = new Map<string, number>();
  /** Partitions that each deletion had before it when it was here last, by its id. */
  private readonly stepsLeft = new Map<string, number>();
  /** The newest deletion of each name. */
  private readonly deletedNames = new Map<string, {readonly id: string; readonly receivedMs: number}>();
  /** Texts of traits that were erased. */
  readonly goneTraits = new Set<string>();

  constructor(partition: number, textOf: TextOf) {
    this.partition = partition;
    this.textOf = textOf;
  }

  apply({seq, data}: {readonly seq: number; readonly data: Uint8Array}): void {
    this.now = seq;
    const cursor = new MessageCursor(data);
    if (cursor.n <= (this.producers.get(cursor.producer) ?? 0)) return;
    this.producers.set(cursor.producer, cursor.n);
    while (cursor.next()) {
      if (cursor.entry.kind !== entryKind.arrive) this.applyEntry(cursor.entry);
      else {
        this.arrive(cursor);
        return; // What is behind it is of the move.
      }
    }
  }

  private applyEntry(entry: EntryView): void {
    if (entry.kind === entryKind.event) this.event(entry);
    else if (entry.kind === entryKind.identify) this.identify(entry);
    else if (entry.kind === entryKind.erase) this.erase(entry);
    else if (entry.kind === entryKind.link && entry.isTakenBack) this.takeBack(entry);
    else if (entry.kind === entryKind.link) this.link(entry);
    else if (entry.kind === entryKind.leave) for (const {user} of entry.leavers()) this.leave(user);
  }

  /** Numbers of users, in the order in which they came; whoever comes under a key that was let go is another one. */
  private intern(key: string): number {
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    this.numbers.set(key, this.users);
    this.users += 1;
    return this.users - 1;
  }

  private leave(user: number): void {
    const key = [...this.numbers].find(([, number]) => number === user)?.[0] ?? nobody;
    const link = this.owners.get(key);
    if (link === undefined || link.isShared) return;
    this.numbers.delete(key);
    for (const row of this.rows) if (row.key === key && row.owner !== undefined) row.hasLeft = true;
  }

  /** Nobody is the owner of a device again, if nothing of it has left. */
  private takeBack(entry: EntryView): void {
    const [device, owner] = [entry.userKey(), entry.text()];
    const held = this.owners.get(device);
    const rows = this.rows.filter((row) => row.key === device && row.owner !== undefined && !isPast(row.erasedAt));
    if (held === undefined || held.owner !== owner || held.isShared || rows.some(({hasLeft}) => hasLeft)) return;
    this.owners.delete(device);
    for (const row of rows) row.owner = undefined;
  }

  /** The owner of a device, first come; nobody's events come from it once a second user named it. */
  private link(entry: EntryView): void {
    const [device, owner] = [entry.userKey(), entry.text()];
    const held = this.owners.get(device);
    if (held !== undefined && held.owner !== owner && !held.isShared) {
      held.isShared = true;
      this.numbers.delete(device);
    }
    if (held !== undefined) return;
    this.owners.set(device, {owner, isShared: false});
    const isFree = (row: Logged<Row>) => row.key === device && row.owner === undefined && !isPast(row.erasedAt);
    for (const row of this.rows.filter(isFree)) Object.assign(row, {owner, linkedAt: this.now});
  }

  /** Whether a second user named this device: what the first one's events were is not the device's any more. */
  isShared(key: string): boolean {
    return this.owners.get(key)?.isShared === true;
  }

  private event(entry: EntryView): void {
    if (this.isCopy(entry)) return;
    const key = entry.userKey();
    const link = this.owners.get(key);
    const user = this.intern(key);
    this.rows.push({
      id: this.nextId(),
      key,
      name: entry.text(),
      timeMs: entry.timeMs,
      json: withoutId(eventJson(entry, 0, 0)),
      owner: link === undefined || link.isShared ? undefined : link.owner,
      at: this.now,
      user,
      linkedAt: this.now,
      erasedAt: never,
      hasLeft: false,
      deletion: undefined,
    });
  }

  private nextId(): string {
    this.counted += 1;
    return `${this.partition}-${this.counted - 1}`;
  }

  /** A late retry of an erased entry is not stored either. */
  private isCopy(entry: EntryView): boolean {
    if (!entry.hasMessageId) return false;
    const id = JSON.stringify([entry.kind, entry.isSecret, entry.userKey(), entry.messageId()]);
    const isKnown = this.messageIds.has(id);
    this.messageIds.add(id);
    return isKnown;
  }

  /** A move counts as a whole and once: when all of its pieces came one after the other from one owner, without an erasure among them. */
  private arrive(cursor: MessageCursor): void {
    const {from, n, piece, pieces} = cursor.entry.arrival as NonNullable<EntryView['arrival']>;
    const last = this.moves.findLast((move) => move.from === from)?.n ?? 0;
    if (n !== last + 1 && !(n > last && n % numbersPerGeneration === 1)) return;
    const move = `${cursor.producer}.${n}`;
    const held = this.pieces.get(from);
    const messages = piece > 0 && held?.move === move ? held.messages : [];
    if (messages.length !== piece) return;
    messages.push(cursor.bytes);
    this.pieces.set(from, {move, messages});
    if (messages.length < pieces) return;
    this.moves.push({from, n, at: this.now});
    for (const message of messages) this.arriveAll(message);
  }

  private arriveAll(message: Uint8Array): void {
    const cursor = new MessageCursor(message);
    cursor.next();
    while (cursor.next()) {
      const {entry} = cursor;
      const event = {id: entry.origin() ?? 'none', key: entry.userKey(), name: entry.text()};
      const times = {at: this.now, linkedAt: this.now, hasLeft: false};
      const deletion = this.deletedNames.get(event.name);
      if (deletion !== undefined && entry.receivedMs <= deletion.receivedMs) {
        // It was on its way when its name was deleted here.
        this.isCopy(entry);
        const erased = {isCopy: false, erasedAt: this.now, deletion: deletion.id, user: -1};
        this.arrived.push({...event, ...times, ...erased});
        add(this.deletions, deletion.id);
        continue;
      }
      const isCopy = this.isCopy(entry);
      if (!isCopy) this.counted += 1;
      const user = isCopy ? -1 : this.intern(event.key);
      this.arrived.push({...event, ...times, isCopy, erasedAt: never, deletion: undefined, user});
    }
  }

  private identify(entry: EntryView): void {
    if (this.isCopy(entry)) return;
    this.intern(entry.userKey());
    const profile = this.profile(entry.userKey());
    const setMs = Math.min(entry.timeMs, entry.receivedMs);
    for (const [name, value] of Object.entries(JSON.parse(entry.text()))) {
      const isOlder = (profile.traits.get(name)?.setMs ?? setMs) > setMs;
      if (!entry.isTimed || !isOlder) profile.traits.set(name, {value, setMs});
    }
    profile.identifiedMs.push(setMs);
    const text = this.textOf(entry.text());
    this.goneTraits.delete(text);
    if (text !== '') profile.texts.add(text);
  }

  private profile(key: string): Profile {
    const held = this.profiles.get(key);
    if (held !== undefined) return held;
    const fresh: Profile = {traits: new Map(), identifiedMs: [], texts: new Set()};
    this.profiles.set(key, fresh);
    return fresh;
  }

  private erase(entry: EntryView): void {
    const [key, id] = [entry.userKey(), entry.text()];
    const stepsLeft = entry.onward().length;
    if ((this.stepsLeft.get(id) ?? never) <= stepsLeft) return; // An owner appended it again.
    this.stepsLeft.set(id, stepsLeft);
    if (key.startsWith('n')) this.eraseName(key.slice(1), id, entry.receivedMs);
    else this.eraseUser(key, id);
    this.pieces.clear();
  }

  /** Users are known no more of whom neither another event nor an identify is left. */
  private eraseName(name: string, id: string, receivedMs: number): void {
    this.deletedNames.set(name, {id, receivedMs});
    const kept = [...this.rows, ...this.arrived.filter(({isCopy}) => !isCopy)].filter(
      ({erasedAt}) => !isPast(erasedAt),
    );
    const erased = kept.filter((event) => event.name === name);
    for (const event of erased) Object.assign(event, {erasedAt: this.now, deletion: id});
    this.deletions.set(id, erased.length);
    const known = new Set(kept.filter((event) => event.name !== name).map(({user}) => user));
    for (const {key, user} of erased)
      if (this.numbers.get(key) === user && !known.has(user) && !this.profiles.has(key)) this.numbers.delete(key);
  }

  private eraseUser(key: string, id: string): void {
    const ofUser = [
      ...this.rows.filter((row) => (row.owner ?? row.key) === key),
      ...this.arrived.filter((event) => event.key === key && !event.isCopy),
    ].filter(({erasedAt}) => !isPast(erasedAt));
    for (const event of ofUser) Object.assign(event, {erasedAt: this.now, deletion: id});
    this.deletions.set(id, ofUser.length + (this.deletions.get(id) ?? 0));
    for (const text of this.profiles.get(key)?.texts ?? []) this.goneTraits.add(text);
    this.profiles.delete(key);
    this.numbers.delete(key);
    for (const [device, {owner, isShared}] of this.owners) {
      if (owner !== key) continue;
      if (isShared) this.owners.set(device, {owner: nobody, isShared});
      else {
        this.owners.delete(device);
        this.numbers.delete(device);
      }
    }
  }

  /** Up to a message. */
  facts(sequence = never): LogFacts {
    const isBy = ({at}: {readonly at: number}) => at <= sequence;
    return {
      rows: this.rows.filter(isBy).map(({linkedAt, erasedAt, hasLeft: _, user: _user, owner, ...row}) => ({
        ...row,
        owner: linkedAt <= sequence ? owner : undefined,
        isErased: isPast(erasedAt) && erasedAt <= sequence,
        isErasedLater: isPast(erasedAt) && erasedAt > sequence,
      })),
      arrived: this.arrived.filter(isBy).map(({erasedAt, hasLeft: _, user: _user, ...event}) => ({
        ...event,
        isErased: isPast(erasedAt) && erasedAt <= sequence,
      })),
      received: new Map(this.moves.filter(isBy).map(({from, n}) => [from, n])),
    };
  }
}

/** An event that counts, and whose it is. */
interface Counted {
  readonly user: string;
  readonly name: string;
  readonly timeMs: number;
  readonly json: string;
}

/** What several logs say together. */
export class ModelOfAll {
  readonly counted: Counted[] = [];
  /** Events that were erased. */
  readonly erased: Row[] = [];
  /** By deletion: the events that it took, each where it was then. */
  readonly deleted = new Map<string, number>();
  /** What no logs can say of a right deployment. */
  readonly faults: string[] = [];

  /**
   * `isCounted`: whether an event is counted whose deletion is under way: it left its owner's move already, and a log is told up to a
   * message before its erasure.
   */
  constructor(logs: readonly LogFacts[], isCounted: (json: string) => boolean = () => true) {
    const arrived = new Map<string, Arrived>();
    for (const event of logs.flatMap((log) => log.arrived)) {
      if (arrived.has(event.id)) this.faults.push(`event ${event.id} of ${event.key} arrived twice`);
      arrived.set(event.id, event);
    }
    for (const row of logs.flatMap(({rows}) => rows)) {
      const there = arrived.get(row.id);
      arrived.delete(row.id);
      if (there !== undefined && there.key !== row.owner)
        this.faults.push(`event ${row.id} of ${row.owner} arrived as one of ${there.key}`);
      const {deletion} = there ?? row;
      if (deletion !== undefined) add(this.deleted, deletion);
      const isUnderWay = there === undefined && row.owner !== undefined && row.isErasedLater;
      if ((there ?? row).isErased || (isUnderWay && !isCounted(row.json))) this.erased.push(row);
      else if (there?.isCopy !== true) this.counted.push(ofOwner(row));
    }
    for (const [id, {key}] of arrived) this.faults.push(`event ${id} arrived at ${key} and came from nowhere`);
  }

  /** Events by hour and name. */
  cells(): Map<string, number> {
    const cells = new Map<string, number>();
    for (const {name, timeMs} of this.counted) add(cells, `${Math.floor(timeMs / hourMs)} ${name}`);
    return cells;
  }

  rows(): string[] {
    return this.counted.map(({user, json}) => `${user} ${json}`).sort();
  }

  /** Days with their active users. */
  members(): string[] {
    const members = new Set(this.counted.map(({user, timeMs}) => `${Math.floor(timeMs / dayMs)} ${user}`));
    return [...members].sort();
  }

  nameCounts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const {name} of this.counted) add(counts, name);
    return counts;
  }

  /** `logs`: the same. */
  profiles(logs: readonly LogModel[]): string[] {
    const identified = new Map(logs.flatMap(({profiles}) => [...profiles]));
    const users = new Set([...identified.keys(), ...this.counted.map(({user}) => user)]);
    return [...users]
      .map((user) => {
        const eventsMs = this.counted.filter((row) => row.user === user).map(({timeMs}) => timeMs);
        const {traits, identifiedMs} = identified.get(user) ?? {traits: [], identifiedMs: []};
        const createdMs = Math.min(...eventsMs, ...identifiedMs);
        const traitsJson = JSON.stringify(Object.fromEntries(Array.from(traits, ([name, {value}]) => [name, value])));
        return profileText(user, createdMs, newest(eventsMs), newest(identifiedMs), traitsJson);
      })
      .sort();
  }

  /** Texts of erased events and traits that may be nowhere any more. `logs`: the same. */
  gone(logs: readonly LogModel[], textOf: TextOf): Set<string> {
    const gone = new Set([...this.erased.map(({json}) => textOf(json)), ...logs.flatMap((log) => [...log.goneTraits])]);
    for (const {json} of this.counted) gone.delete(textOf(json));
    return gone;
  }
}

/** Where an event stands first is not the model's: joined ones keep that as their id. */
export const withoutId = (json: string): string => json.replace(/"id":"[^"]*",/, '');

const ofOwner = ({key, owner, name, timeMs, json}: Row): Counted =>
  owner === undefined
    ? {user: key, name, timeMs, json}
    : {
        user: owner,
        name,
        timeMs,
        json: json
          .replace('"userId":null', `"userId":${JSON.stringify(owner.slice(1))}`)
          .replace(',"timestamp":', ',"joined":true,"timestamp":'),
      };

export const profileText = (
  key: string,
  createdMs: number,
  lastEventMs: number | undefined,
  lastIdentifyMs: number | undefined,
  traitsJson: string,
): string => `${key} ${createdMs} ${lastEventMs ?? '-'} ${lastIdentifyMs ?? '-'} ${traitsJson}`;

const newest = (times: readonly number[]): number | undefined => (times.length === 0 ? undefined : Math.max(...times));

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
