// One page of new and changed data since a place, in an order in which a reader can apply it: GET /v1/changes.
//   A place has the records of changes, the profiles and the rows that were listed, for each partition.
//   CH1. Records are listed to the end before rows. So a listed row is of a user whose erasure is listed later only if the row is
//        older than the erasure.
//   CH2. A page that says that no more follows has brought the reader to the page's snapshots: every page begins with the records.
//   CH3. An event that moved to the partition of its owner is listed once: as its earlier row, or, if that was not listed, as its
//        present row. A row that came before rows were last listed (`ordinalEnd`) is listed in any case: its earlier row may have been
//        skipped because it moved. So an event may come again, with its id.
//   CH4. A page that skips many rows ends early: it may have fewer lines than the limit, or none.
import {ascii} from '../../../actors/bytes/json-bytes.js';
import type {ChangesRecord, Fact} from '../../../actors/changes.js';
import type {ChunkEntry} from '../../../actors/manifest.js';
import {readEventId} from '../../../actors/report/rows/event-places.js';
import type {ChangesPlace, ChangesQuery, PositionGone} from '../../asks/changes.js';
import type {UserRef} from '../../asks/users.js';
import {readChanges} from '../../parts/stored-state.js';
import {Lines} from '../operators/lines.js';
import {profilesOf} from '../operators/profiles.js';
import {userKeys} from '../operators/user-keys.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import type {UserReferences} from '../user-references.js';
import {eventsOf} from './exported.js';

export interface ChangesPage {
  /** JSON texts, with a comma after each. */
  readonly lines: Uint8Array<ArrayBuffer>;
  readonly next: readonly ChangesPlace[];
  /** Whether the snapshots have more. */
  readonly hasMore: boolean;
}

/** An event takes some 300 bytes. */
const lineBytes = 256;
const comma = 0x2c;
/** Users whose records are read at once: a block of a run or two. */
const usersAtOnce = 8_192;
/** CH4 */
const usersPassedMax = 16 * usersAtOnce;
const chunksPassedMax = 64;

/** @throws MissingPart, DamagedPart */
export async function changesPage(
  reading: Reading,
  references: UserReferences,
  {after, limit, bytesMax}: ChangesQuery,
  snapshots: readonly PartitionSnapshot[],
): Promise<ChangesPage | PositionGone> {
  const start = after ?? snapshots.map(beginningOf);
  for (const [partition, snapshot] of snapshots.entries()) {
    const gone = goneBefore(snapshot, start[partition]!);
    if (gone !== undefined) return gone;
  }
  const lines = new Lines({linesMax: limit, bytesMax, separator: comma});
  const teller = new Teller(reading, references, start, lines);
  const hasMore = !(await teller.tell(snapshots));
  return {lines: lines.finish(), next: teller.places, hasMore};
}

/** Place of a first page: profiles and rows include all earlier changes. */
const beginningOf = ({manifest: {position}, index}: PartitionSnapshot): ChangesPlace => ({
  ...position,
  record: 0,
  facts: 0,
  user: 0,
  users: 0,
  usersEnd: index.users.count,
  ordinal: 0,
  ordinalEnd: 0,
});

function goneBefore({manifest, index}: PartitionSnapshot, place: ChangesPlace): PositionGone | undefined {
  const {generation, sequence} = manifest.position;
  if (place.generation !== generation || place.sequence > sequence || place.ordinal > index.nextOrdinal) return 'lost';
  const dropped = index.changesDropped;
  return dropped !== null && dropped.generation === generation && dropped.sequence > place.sequence ? 'old' : undefined;
}

type Changing = {-readonly [Field in keyof ChangesPlace]: ChangesPlace[Field]};

class Teller {
  readonly places: Changing[];
  private readonly lines: Lines;
  private readonly reading: Reading;
  private readonly references: UserReferences;
  /** Places at which the page begins. */
  private readonly start: readonly ChangesPlace[];
  private usersPassed = 0;
  private chunksPassed = 0;

  constructor(reading: Reading, references: UserReferences, start: readonly ChangesPlace[], lines: Lines) {
    this.reading = reading;
    this.references = references;
    this.start = start;
    this.lines = lines;
    this.places = start.map((place) => ({...place}));
  }

  /** False: there is more. */
  async tell(snapshots: readonly PartitionSnapshot[]): Promise<boolean> {
    for (const [i, snapshot] of snapshots.entries())
      if (!(await this.tellRecords(snapshot, this.places[i]!))) return false;
    for (const [i, snapshot] of snapshots.entries())
      if (!(await this.tellUsers(snapshot, this.places[i]!))) return false;
    for (const [i, {index}] of snapshots.entries()) this.places[i]!.ordinalEnd = index.nextOrdinal; // CH3
    for (const [i, snapshot] of snapshots.entries())
      if (!(await this.tellRows(snapshot, this.places[i]!))) return false;
    return true;
  }

  /** False: there is no room for the line. */
  private add(text: string): boolean {
    this.lines.writer.text(text);
    return this.lines.end();
  }

  // -- records --

  private async tellRecords(snapshot: PartitionSnapshot, place: Changing): Promise<boolean> {
    const {manifest, index} = snapshot;
    const {generation, sequence} = manifest.position;
    for (const {part, position} of index.changes) {
      if (position.generation !== generation || position.sequence <= place.sequence) continue;
      const records = readChanges(await this.reading.scan.loadOnce(part), part);
      const isNew = (record: ChangesRecord): boolean =>
        record.generation === generation && record.sequence > place.sequence;
      for (const record of records.filter(isNew)) {
        if (record.sequence !== place.record) Object.assign(place, {record: record.sequence, facts: 0, user: 0});
        if (!(await this.tellFacts(snapshot, record, place))) return false;
        if (!(await this.tellIdentified(snapshot, record, place))) return false;
        place.sequence = record.sequence;
      }
      await this.reading.scan.pauseIfDue();
    }
    Object.assign(place, {sequence, record: 0, facts: 0, user: 0});
    return true;
  }

  private async tellFacts(snapshot: PartitionSnapshot, {facts}: ChangesRecord, place: Changing): Promise<boolean> {
    while (place.facts < facts.length) {
      const some = facts.slice(place.facts, place.facts + this.lines.roomFor(lineBytes));
      const owners = some.flatMap((fact) => (fact.kind === 'joined' ? [fact.user] : []));
      const keys = await userKeys(this.reading.scan, snapshot, owners);
      const userIds = new Map(owners.map((user, i) => [user, keys[i]?.id]));
      for (const fact of some) {
        if (!this.add(this.factText(fact, userIds))) return false;
        place.facts += 1;
      }
    }
    return true;
  }

  private factText(fact: Fact, userIds: ReadonlyMap<number, string | undefined>): string {
    const refOf = (hash: string): string => `"${this.references.ofHash(hash)}"`;
    switch (fact.kind) {
      case 'joined': {
        const refs = `"anonymous_ref":${refOf(fact.anonymousHash)},"user_ref":${refOf(fact.userHash)}`;
        const userId = JSON.stringify(userIds.get(fact.user) ?? null);
        return `{"type":"joined",${refs},"userId":${userId},"from":"${fact.from}","through":"${fact.through}"}`;
      }
      case 'erased': {
        if ('eventHash' in fact)
          return `{"type":"erased","event_ref":${refOf(fact.eventHash)},"through":"${fact.through}"}`;
        const events = 'from' in fact ? `,"from":"${fact.from}","through":"${fact.through}"` : '';
        return `{"type":"erased","user_ref":${refOf(fact.userHash)}${events}}`;
      }
      case 'removed':
        return `{"type":"removed","id":"${fact.event}"}`;
    }
  }

  private async tellIdentified(
    snapshot: PartitionSnapshot,
    {identified}: ChangesRecord,
    place: Changing,
  ): Promise<boolean> {
    let left = identified.filter((user) => user >= place.user);
    while (left.length > 0) {
      const some = left.slice(0, this.lines.roomFor(lineBytes));
      for (const [user, text] of await this.profileTexts(snapshot, some)) {
        if (!this.add(text)) return false;
        place.user = user + 1;
      }
      left = left.slice(some.length);
    }
    return true;
  }

  // -- profiles --

  private async tellUsers(snapshot: PartitionSnapshot, place: Changing): Promise<boolean> {
    while (place.users < place.usersEnd) {
      if (this.usersPassed >= usersPassedMax) return false;
      const end = Math.min(place.users + usersAtOnce, place.usersEnd);
      const some = Array.from({length: end - place.users}, (_, i) => place.users + i);
      for (const [user, text] of await this.profileTexts(snapshot, some)) {
        if (!this.add(text)) return false;
        place.users = user + 1;
      }
      place.users = end;
      this.usersPassed += some.length;
    }
    return true;
  }

  /** Profile lines of the identified ones among `users`, which ascend. */
  private async profileTexts(
    snapshot: PartitionSnapshot,
    users: readonly number[],
  ): Promise<(readonly [user: number, text: string])[]> {
    const {scan} = this.reading;
    const profiles = await profilesOf(scan, snapshot, users);
    const identified = [...profiles.keys()];
    const keys = await userKeys(scan, snapshot, identified);
    return identified.flatMap((user, i) => {
      const key = keys[i];
      if (key === undefined) return []; // Erased meanwhile.
      const fields = `"user_ref":"${this.references.ofUser(key)}","userId":${JSON.stringify(key.id)}`;
      return [[user, `{"type":"profile",${fields},${profiles.get(user)}}`] as const];
    });
  }

  // -- rows --

  private async tellRows(snapshot: PartitionSnapshot, place: Changing): Promise<boolean> {
    for (const chunk of snapshot.index.chunks) {
      const end = chunk.baseOrdinal + chunk.count;
      if (end <= place.ordinal) continue;
      if (chunk.live > chunk.leftOut) {
        if (this.chunksPassed >= chunksPassedMax) return false;
        this.chunksPassed += 1;
        if (!(await this.tellChunk(snapshot, chunk, place))) return false;
      }
      place.ordinal = end;
    }
    place.ordinal = snapshot.index.nextOrdinal;
    return true;
  }

  private async tellChunk(snapshot: PartitionSnapshot, chunk: ChunkEntry, place: Changing): Promise<boolean> {
    const {scan} = this.reading;
    const eventRefs = new Map<number, string>();
    const eventRefOf = (name: number): string => {
      let ref = eventRefs.get(name);
      if (ref === undefined) {
        ref = this.references.ofName(snapshot.names.text(name));
        eventRefs.set(name, ref);
      }
      return ref;
    };
    for await (const rows of scan.rows([chunk], snapshot.leftOut.users)) {
      let left = rows.order.toSorted().filter((row) => rows.baseOrdinal + row >= place.ordinal);
      while (left.length > 0) {
        const some = Array.from(left.subarray(0, this.lines.roomFor(lineBytes)), (row) => ({
          of: {snapshot, chunk},
          row,
          user: rows.users[row]!,
        }));
        const texts = await eventsOf(this.reading, some);
        const refs = await this.refsOf(
          snapshot,
          some.map(({user}) => user),
        );
        for (const [i, {row, user}] of some.entries()) {
          const ordinal = rows.baseOrdinal + row;
          const ref = refs.get(user);
          if (ref !== undefined && this.isTold(snapshot, ordinal, texts.id(i))) {
            const eventRef = eventRefOf(rows.names[row]!);
            texts.copy(i, this.lines.writer, ascii(`{"type":"event","user_ref":"${ref}","event_ref":"${eventRef}",`));
            if (!this.lines.end()) return false;
          }
          place.ordinal = ordinal + 1;
        }
        left = left.subarray(some.length);
      }
    }
    return true;
  }

  /** CH3. `id`: undefined of an erased event. */
  private isTold({manifest: {partition}}: PartitionSnapshot, ordinal: number, id: string | undefined): boolean {
    if (id === undefined) return false;
    if (id === `${partition}-${ordinal}`) return true;
    const origin = readEventId(id);
    if (origin === undefined || ordinal < this.start[partition]!.ordinalEnd) return true;
    return origin.ordinal >= (this.start[origin.partition]?.ordinal ?? 0);
  }

  private async refsOf(
    snapshot: PartitionSnapshot,
    users: readonly number[],
  ): Promise<ReadonlyMap<number, string | undefined>> {
    const distinct = [...new Set(users)];
    const keys = await userKeys(this.reading.scan, snapshot, distinct);
    const refOf = (key: UserRef | undefined): string | undefined => key && this.references.ofUser(key);
    return new Map(distinct.map((user, i) => [user, refOf(keys[i])]));
  }
}
