// What a set of partitions says, in a form that does not depend on their number: equal digests before and after say that nothing was
// lost, doubled or changed on the way. Both are made of stored parts, by the same code.
import {crc32} from 'node:zlib';
import {hoursPerDay} from '../../../actors/aggregator/windows.js';
import type {Run} from '../../../actors/manifest.js';
import type {InternedTable} from '../../../actors/table/interned.js';
import type {UserRecord} from '../../../actors/user/user-records.js';
import type {PartsCache} from '../../parts/parts-cache.js';

export class Digest {
  /** Number of events by name and hour. */
  private readonly cells = new Map<string, number>();
  users = 0;
  /** Sum of the checksums of all records: times, traits and when and how each was set. */
  private records = 0;

  get events(): number {
    return [...this.cells.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Adds hourly counts from a day on. */
  async addWindows(runs: readonly Run[], names: InternedTable, fromDay: number, cache: PartsCache): Promise<void> {
    for (const {blocks} of runs) {
      for (const {first, part} of blocks) {
        const {counts, hours, names: numbers} = await cache.loadWindows(part);
        for (const [i, count] of counts.entries()) {
          if (hours[i]! < Math.max(first, fromDay) * hoursPerDay) continue; // Expired.
          const cell = `${hours[i]} ${names.text(numbers[i]!)}`;
          this.cells.set(cell, (this.cells.get(cell) ?? 0) + count);
        }
      }
    }
  }

  addUser(key: string, {createdMs, lastEventMs, lastIdentifyMs, firstIdentifyMs, traits}: UserRecord): void {
    this.users += 1;
    const seen = [createdMs, lastEventMs ?? null, lastIdentifyMs ?? null, firstIdentifyMs ?? lastIdentifyMs ?? null];
    this.records += crc32(JSON.stringify([key, ...seen, traits ?? null]));
  }

  /** What differs; undefined: nothing. */
  differenceTo(other: Digest): string | undefined {
    for (const cell of new Set([...this.cells.keys(), ...other.cells.keys()])) {
      const [here, there] = [this.cells.get(cell) ?? 0, other.cells.get(cell) ?? 0];
      if (here === there) continue;
      const [hour, ...name] = cell.split(' ');
      const at = new Date(Number(hour) * 3_600_000).toISOString();
      return `${here} events ${JSON.stringify(name.join(' '))} of the hour ${at} became ${there}`;
    }
    if (this.users !== other.users) return `${this.users} users became ${other.users}`;
    return this.records === other.records ? undefined : 'times or traits of users differ';
  }
}
