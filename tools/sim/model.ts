// The slow, obvious model of a partition: its state after the accepted log messages. Plain maps and loops.
import {eventJson} from '../../actors/chunk/bodies.js';
import {type EntryView, entryKind, MessageCursor} from '../../actors/log/entries.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

interface Row {
  readonly name: string;
  readonly timeMs: number;
  readonly json: string;
}

interface User {
  readonly rows: Row[];
  readonly traits: Map<string, {readonly value: unknown; readonly setMs: number}>;
  readonly identifiedMs: number[];
  /** Texts that identify the traits of its identifies. */
  readonly traitTexts: Set<string>;
}

export class Model {
  private readonly owners = new Map<string, {readonly owner: string; isShared: boolean}>();
  private readonly users = new Map<string, User>();
  private readonly messageIds = new Set<string>();
  private readonly producers = new Map<string, number>();
  /** Number of events that each deletion took, by its id. */
  readonly deletions = new Map<string, number>();
  /** Texts of erased events and traits that must be nowhere. */
  readonly gone = new Set<string>();

  /** `textOf` finds the text that identifies an event's JSON. */
  apply(bytes: Uint8Array, textOf: (json: string) => string): void {
    const cursor = new MessageCursor(bytes);
    if (cursor.n <= (this.producers.get(cursor.producer) ?? 0)) return;
    this.producers.set(cursor.producer, cursor.n);
    while (cursor.next()) this.applyEntry(cursor.entry, textOf);
  }

  private applyEntry(entry: EntryView, textOf: (json: string) => string): void {
    if (entry.kind === entryKind.event) this.event(entry, textOf);
    else if (entry.kind === entryKind.identify) this.identify(entry, textOf);
    else if (entry.kind === entryKind.erase) this.erase(entry, textOf);
    else if (entry.kind === entryKind.link) this.link(entry);
  }

  /** The owner of a device, first come; null once a second user named it. */
  private link(entry: EntryView): void {
    const [device, owner] = [entry.userKey(), entry.text()];
    const held = this.owners.get(device);
    if (held !== undefined && held.owner !== owner) held.isShared = true;
    if (held !== undefined) return;
    this.owners.set(device, {owner, isShared: false});
    const rows = this.users.get(device)?.rows ?? [];
    this.users.delete(device);
    if (rows.length > 0) this.user(owner).rows.push(...rows.map((row) => joined(row, owner)));
  }

  private event(entry: EntryView, textOf: (json: string) => string): void {
    if (entry.origin() !== undefined) return; // It is known since it came first.
    const key = entry.userKey();
    const json = withoutId(eventJson(entry, 0, 0));
    if (this.isCopy(entry)) return;
    this.gone.delete(textOf(json));
    const row = {name: entry.text(), timeMs: entry.timeMs, json};
    const link = this.owners.get(key);
    if (link === undefined || link.isShared) this.user(key).rows.push(row);
    else this.user(link.owner).rows.push(joined(row, link.owner));
  }

  /** A late retry of an erased entry is not stored either: its text stays gone. */
  private isCopy(entry: EntryView): boolean {
    if (!entry.hasMessageId) return false;
    const id = JSON.stringify([entry.kind, entry.userKey(), entry.messageId()]);
    const isKnown = this.messageIds.has(id);
    this.messageIds.add(id);
    return isKnown;
  }

  private identify(entry: EntryView, textOf: (json: string) => string): void {
    if (this.isCopy(entry)) return;
    const user = this.user(entry.userKey());
    const setMs = Math.min(entry.timeMs, entry.receivedMs);
    for (const [name, value] of Object.entries(JSON.parse(entry.text()))) {
      const isOlder = (user.traits.get(name)?.setMs ?? setMs) > setMs;
      if (!entry.isTimed || !isOlder) user.traits.set(name, {value, setMs});
    }
    user.identifiedMs.push(setMs);
    const text = textOf(entry.text());
    this.gone.delete(text);
    if (text !== '') user.traitTexts.add(text);
  }

  private erase(entry: EntryView, textOf: (json: string) => string): void {
    const rows = this.users.get(entry.userKey())?.rows ?? [];
    for (const row of rows) this.gone.add(textOf(row.json));
    for (const text of this.users.get(entry.userKey())?.traitTexts ?? []) this.gone.add(text);
    this.deletions.set(entry.text(), rows.length + (this.deletions.get(entry.text()) ?? 0));
    this.users.delete(entry.userKey());
    for (const [device, {owner}] of this.owners) if (owner === entry.userKey()) this.owners.delete(device);
  }

  private user(key: string): User {
    const held = this.users.get(key);
    if (held !== undefined) return held;
    const fresh: User = {rows: [], traits: new Map(), identifiedMs: [], traitTexts: new Set()};
    this.users.set(key, fresh);
    return fresh;
  }

  // ---- expected state ----

  rows(): string[] {
    return [...this.users].flatMap(([key, {rows}]) => rows.map(({json}) => `${key} ${json}`)).sort();
  }

  /** Events by hour and name. */
  cells(): Map<string, number> {
    const cells = new Map<string, number>();
    for (const {name, timeMs} of this.allRows()) add(cells, `${Math.floor(timeMs / hourMs)} ${name}`);
    return cells;
  }

  /** Days with their active users. */
  members(): string[] {
    const members = new Set<string>();
    for (const [key, {rows}] of this.users) {
      for (const {timeMs} of rows) members.add(`${Math.floor(timeMs / dayMs)} ${key}`);
    }
    return [...members].sort();
  }

  nameCounts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const {name} of this.allRows()) add(counts, name);
    return counts;
  }

  profiles(): string[] {
    return [...this.users]
      .map(([key, {rows, traits, identifiedMs}]) => {
        const eventsMs = rows.map(({timeMs}) => timeMs);
        const createdMs = Math.min(...eventsMs, ...identifiedMs);
        const traitsJson = JSON.stringify(Object.fromEntries(Array.from(traits, ([name, {value}]) => [name, value])));
        return profileText(key, createdMs, newest(eventsMs), newest(identifiedMs), traitsJson);
      })
      .sort();
  }

  private *allRows(): Generator<Row> {
    for (const {rows} of this.users.values()) yield* rows;
  }
}

/** Where an event stands first is not the model's: joined ones keep that as their id. */
export const withoutId = (json: string): string => json.replace(/"id":"[^"]*",/, '');

const joined = (row: Row, owner: string): Row => ({
  ...row,
  json: row.json
    .replace('"userId":null', `"userId":${JSON.stringify(owner.slice(1))}`)
    .replace(',"timestamp":', ',"joined":true,"timestamp":'),
});

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
