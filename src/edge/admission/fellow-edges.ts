// The other edges of the deployment, beside an external NATS: how many there are, and what keys use of their rate limits there.
//   FE1. Every `toldEveryMs` an edge tells the others what its keys used since, and they charge it. So a key exceeds a limit by what
//        it sends in that time to all edges but one. Nothing is told while nothing is used, and no edge stores anything.
//   FE2. A lost message makes a limit milder by what it told. What is no message of an edge is ignored as a whole.
//   FE3. An edge without others counts and tells nothing: it says every `hereEveryMs` that it is there. One that is heard for the
//        first time is told at once. What was used before it was heard is never told.
import {jsonOrUndefined} from '../../json.js';
import type {RateUsage} from '../../keys/key-ring.js';
import type {LimitName, RateLimits} from '../http/rate-limit.js';

export const toldEveryMs = 250;
const hereEveryMs = 2_000;
/** Three of its messages were lost. */
const silentMsMax = 7_000;
/** FE2. Far more than an edge takes between two messages. */
const unitsMax = 1_000_000;
/** With at most this many rows a message stays below 1 MiB. */
const rowsMax = 5_000;

const limitNames = ['events', 'reads', 'deletions'] as const satisfies readonly LimitName[];

/** Id of a key, and units of its limits. */
type UsedRow = readonly [keyId: string, ...units: number[]];

interface UseReport {
  readonly edge: string;
  readonly used: readonly UsedRow[];
}

/** A key, as far as it is shared. */
interface SharedKey {
  readonly id: string;
  readonly usage: RateUsage;
  /** Units since `takeUsed`. */
  readonly used: RateUsage;
}

interface FellowOptions {
  /** Never used again. */
  readonly id: string;
  readonly limits: RateLimits;
  readonly keys: {active(): Iterable<SharedKey>; activeOf(id: string): SharedKey | undefined};
  readonly publish: (message: string) => void;
  readonly monotonicMs: () => number;
}

export class FellowEdges {
  private readonly options: FellowOptions;
  /** When each was heard last. */
  private readonly heardMs = new Map<string, number>();
  private toldMs = Number.NEGATIVE_INFINITY;
  private telling: NodeJS.Timeout | undefined;

  constructor(options: FellowOptions) {
    this.options = options;
  }

  start(): void {
    this.telling = setInterval(() => this.tell(), toldEveryMs);
  }

  stop(): void {
    clearInterval(this.telling);
  }

  /** Edges that live, this one included. */
  get count(): number {
    return this.heardMs.size + 1;
  }

  /** FE1, FE3 */
  tell(): void {
    const nowMs = this.options.monotonicMs();
    for (const [edge, ms] of this.heardMs) if (nowMs - ms > silentMsMax) this.heardMs.delete(edge);
    const rows = this.heardMs.size > 0 ? this.takeUsed() : [];
    if (rows.length === 0 && nowMs - this.toldMs < hereEveryMs) return;
    this.toldMs = nowMs;
    for (let at = 0; at === 0 || at < rows.length; at += rowsMax)
      this.options.publish(
        JSON.stringify({edge: this.options.id, used: rows.slice(at, at + rowsMax)} satisfies UseReport),
      );
  }

  private takeUsed(): UsedRow[] {
    const rows: UsedRow[] = [];
    for (const {id, used} of this.options.keys.active()) {
      if (limitNames.every((name) => used[name] === 0)) continue;
      rows.push([id, ...limitNames.map((name) => Math.min(used[name], unitsMax))]);
      for (const name of limitNames) used[name] = 0;
    }
    return rows;
  }

  /** A message on the subject of edges. */
  hear(message: string): void {
    const told = toldIn(message);
    if (told === undefined || told.edge === this.options.id) return;
    const nowMs = this.options.monotonicMs();
    if (this.heardMs.size === 0) this.takeUsed(); // FE3
    if (!this.heardMs.has(told.edge)) this.toldMs = Number.NEGATIVE_INFINITY;
    this.heardMs.set(told.edge, nowMs);
    for (const [keyId, ...units] of told.used) this.charge(keyId, units, nowMs);
  }

  private charge(keyId: string, units: readonly number[], nowMs: number): void {
    const key = this.options.keys.activeOf(keyId);
    if (key === undefined) return;
    for (const [at, name] of limitNames.entries())
      if (units[at]! > 0) this.options.limits[name]?.chargeElsewhere(key.usage, units[at]!, nowMs);
  }
}

/** Undefined: the message is none of an edge. FE2 */
function toldIn(message: string): UseReport | undefined {
  const {edge, used} = (jsonOrUndefined(message) ?? {}) as Partial<UseReport>;
  if (typeof edge !== 'string' || !Array.isArray(used)) return undefined;
  return used.every(isRow) ? {edge, used} : undefined;
}

const isRow = (row: unknown): row is UsedRow =>
  Array.isArray(row) &&
  row.length === limitNames.length + 1 &&
  typeof row[0] === 'string' &&
  row
    .slice(1)
    .every((units: unknown) => Number.isInteger(units) && (units as number) >= 0 && (units as number) <= unitsMax);
