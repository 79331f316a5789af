// The rules by which an endpoint takes stored rows: its subscriptions to events, and those that it had before edits.
//   RR1. An edit counts from the rows after it. The definition keeps the rule before the edit, with the end of each partition's rows
//        then: rows before these ends have that rule, whenever they are read.
//   RR2. A row that a join moved has the rule of the place where it was first (event-deliveries.ts RO1).
//   RR3. Earlier rules are dropped once the stored cursors of all partitions have passed their rows (delivery-worker.ts DE2).
import {type Generations, lostFrom, newestOf} from '../../actors/generations.js';
import type {Cursor} from './cursor.js';
import {type EarlierRule, type Endpoint, type Subscription, wantsEvents} from './endpoint.js';
import type {TailPlace} from './heads.js';
import {eventRule, type StoredEvent, wantedNames} from './payload.js';

/** Edits of a webhook whose receiver takes nothing: each keeps a rule until the rows before it are told. */
export const earlierRulesMax = 20;

type Ruled = Pick<Endpoint, 'types' | 'earlier'>;

/** Whether some row may be told: by the rule of now, or by an earlier one. */
export const hasEventRule = (endpoint: Ruled): boolean =>
  wantsEvents(endpoint) || (endpoint.earlier ?? []).some(wantsEvents);

const ruleText = ({types}: Pick<Endpoint, 'types'>): string =>
  JSON.stringify(types.filter(({type}) => type === 'event.tracked'));

/**
 * The earlier rules of an endpoint that gets these types. `ends`: the end of the rows of each partition.
 * @returns undefined for none; they may be more than `earlierRulesMax`.
 */
export function earlierWith(
  endpoint: Ruled,
  types: readonly Subscription[],
  ends: readonly TailPlace[],
): readonly EarlierRule[] | undefined {
  const {earlier} = endpoint;
  if (ruleText(endpoint) === ruleText({types})) return earlier;
  // Between two edits no row was stored: none has the rule between them.
  if (JSON.stringify(earlier?.at(-1)?.ends) === JSON.stringify(ends)) return earlier;
  return [...(earlier ?? []), {types: endpoint.types, ends}];
}

/** Place where a row is, or was first. */
interface RowAt {
  readonly partition: number;
  readonly ordinal: number;
}

export class RowRules {
  /** Text that is equal for equal rules. */
  readonly text: string;
  /** Names of events that some rule takes; undefined: all. */
  readonly names: readonly string[] | undefined;
  private readonly takesNow: (event: StoredEvent) => boolean;
  private readonly earlier: readonly (EarlierRule & {readonly takes: (event: StoredEvent) => boolean})[];

  constructor(endpoint: Ruled) {
    const {earlier = []} = endpoint;
    this.text = JSON.stringify([ruleText(endpoint), earlier]);
    const names = [endpoint, ...earlier].map(wantedNames);
    this.names = names.includes(undefined) ? undefined : [...new Set(names.flatMap((some = []) => some))];
    this.takesNow = eventRule(endpoint);
    this.earlier = earlier.map((rule) => ({...rule, takes: eventRule(rule)}));
  }

  /** `generations`: of the log of the row's partition. RR1 */
  takes(event: StoredEvent, {partition, ordinal}: RowAt, generations: Generations): boolean {
    const rule = this.earlier.find((one) => ordinal < endIn(one, partition, generations));
    return rule === undefined ? this.takesNow(event) : rule.takes(event);
  }

  /** First row of a partition that a rule may take. */
  beginIn(partition: number, generations: Generations): number {
    const taking = this.earlier.findIndex(wantsEvents);
    const before = taking < 0 ? this.earlier : this.earlier.slice(0, taking);
    return Math.max(0, ...before.map((rule) => endIn(rule, partition, generations)));
  }

  /** Place of a tail that has no cursor: the endpoint came to its first rule by an edit. Undefined without earlier rules. */
  firstPlace(partition: number): TailPlace | undefined {
    return this.earlier[0]?.ends[partition];
  }

  /** Whether no row from the cursor on, and none that the tail missed, has an earlier rule. RR3 */
  arePast({generation, ordinal, missed = []}: Cursor, partition: number, generations: Generations): boolean {
    const isPast = this.earlier.every((rule) => ordinal >= endIn(rule, partition, generations));
    return isPast && missed.length === 0 && generation === newestOf(generations);
  }
}

/** Rows that the log lost had the rule of then; those that have their ordinals now are later. */
function endIn({ends}: EarlierRule, partition: number, generations: Generations): number {
  const end = ends[partition];
  return end === undefined ? 0 : Math.min(end.ordinal, lostFrom(generations, end.generation));
}
