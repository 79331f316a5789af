// History over partitions, newest first by (time, partition, ordinal).
//   Phase one asks every partition for the keys of at most `limit` rows and merges them. Phase two fetches the bodies of the
//   winners, in as many replies as they need. A single partition knows the winners itself, and answers both at once.
//   H1. A page is full unless the history ends: older rows replace those that are erased between the phases. The rows of one
//       user are erased at once, so a page of one user that lost rows is that of a deleted user.
//   H2. Rows at or above the ordinal bounds of the first page are never on later ones: pages do not shift.
//   H3. Bodies are read in the order in which they are stored: neighbours are in one block.
//   H4. Conditions judge bodies, of so many rows at most: then the page is shorter, or empty, and the next one goes on after them.
import type {Condition} from '../../../actors/report/rows/condition.js';
import {meetsAll, type SentEvent} from '../../../actors/report/rows/event-conditions.js';
import type {Asker} from '../../asks/asker.js';
import type {RowPlace} from '../../asks/events.js';
import type {PartitionAnswer} from '../../asks/partition.js';
import type {UserRef} from '../../asks/users.js';
import {positionText} from '../../log-position.js';
import {RequestFailure} from '../failure.js';
import {AnswerShare, tooManyAnswers} from '../http/unread-answers.js';
import type {Asks} from './asks.js';

export interface HistoryFilters {
  readonly user?: UserRef;
  readonly event?: string;
  /** Inclusive, epoch ms. */
  readonly fromMs?: number;
  readonly toMs?: number;
  /** All must hold. */
  readonly where?: readonly Condition[];
}

/** H4 */
const judgedRowsMax = 10_000;
const judgedAtOnce = 500;

export interface HistoryPage {
  /** JSON texts of the events. */
  readonly events: readonly string[];
  /** The last row, when others follow it. */
  readonly next: RowPlace | undefined;
  /** One for each partition asked, in their order. */
  readonly ordinalEnds: readonly number[];
  /** The history is of one user, who is unknown. */
  readonly isUserUnknown: boolean;
  /** The user that an unknown anonymous one is. */
  readonly linkedTo?: string;
}

/** Start of a page: after a row, below the bounds that the first page found. */
export interface HistoryStart {
  readonly place: RowPlace;
  readonly ordinalEnds: readonly number[];
}

/** Result of phase one. */
interface PageRows {
  readonly places: RowPlace[];
  readonly more: boolean;
  readonly isUserUnknown: boolean;
  readonly linkedTo?: string;
  /** Bodies that came with the rows of each partition that was asked, by ascending ordinal; mostly none. */
  readonly events: readonly (readonly (string | null)[])[];
}

interface FoundBody {
  readonly place: RowPlace;
  /** JSON of the event. */
  readonly text: string;
}

export class HistoryReader {
  private readonly asks: Asks;
  private readonly asker: Asker;
  private readonly partitions: readonly number[];
  private readonly filters: HistoryFilters;
  private readonly share = new AnswerShare();
  private ordinalEnds: readonly number[] | undefined;
  /** Position at which the pages are exact, by partition asked; empty before the first page. */
  positions: readonly string[] = [];

  /** `asker`: whose turn long reads take. */
  constructor(asks: Asks, partitions: readonly number[], filters: HistoryFilters, asker: Asker) {
    this.asks = asks;
    this.asker = asker;
    this.partitions = partitions;
    this.filters = filters;
  }

  /** @throws RequestFailure (503) when a partition does not answer, and when too many pages are read at once. */
  async read(limit: number, start: HistoryStart | undefined): Promise<HistoryPage> {
    try {
      return await this.readPage(limit, start);
    } finally {
      this.share.release(); // The answer holds these bytes from now on.
    }
  }

  private async readPage(limit: number, start: HistoryStart | undefined): Promise<HistoryPage> {
    this.ordinalEnds = start?.ordinalEnds;
    const events: string[] = [];
    let place = start?.place;
    const {where = []} = this.filters;
    let hasMore = true;
    for (let judged = 0; hasMore && events.length < limit && judged < judgedRowsMax; ) {
      const rows = await this.readRows(where.length === 0 ? limit - events.length : judgedAtOnce, place);
      const found = await this.readBodies(rows);
      if (this.filters.user !== undefined && (rows.isUserUnknown || found.length < rows.places.length)) {
        const {linkedTo} = rows;
        const unknown = {isUserUnknown: true, ...(linkedTo === undefined ? {} : {linkedTo})};
        return {events: [], next: undefined, ordinalEnds: this.ordinalEnds!, ...unknown}; // H1
      }
      if (where.length === 0) {
        events.push(...found.map(({text}) => text));
        place = rows.places.at(-1) ?? place;
        hasMore = rows.more;
        continue;
      }
      const met = found.filter(({text}) => meetsAll(where, JSON.parse(text) as SentEvent));
      const last = met.length > limit - events.length ? met[limit - events.length - 1] : undefined;
      const taken = last === undefined ? met : met.slice(0, met.indexOf(last) + 1);
      for (const one of found) if (!taken.includes(one)) this.share.release(one.text.length);
      events.push(...taken.map(({text}) => text));
      place = last?.place ?? rows.places.at(-1) ?? place;
      hasMore = rows.more || last !== undefined;
      judged += rows.places.length; // H4
    }
    return {events, next: hasMore ? place : undefined, ordinalEnds: this.ordinalEnds!, isUserUnknown: false};
  }

  /** Phase one. */
  private async readRows(limit: number, before: RowPlace | undefined): Promise<PageRows> {
    const answers = await Promise.all(
      this.partitions.map((partition, i) => {
        const ordinalEnd = this.ordinalEnds?.[i];
        const {where: _, ...filters} = this.filters;
        const question = {
          ask: 'history',
          ...filters,
          limit,
          ...(this.partitions.length === 1 ? {withEvents: true as const} : {}),
          ...(before === undefined ? {} : {before}),
          ...(ordinalEnd === undefined ? {} : {ordinalEnd}),
        } as const;
        return this.asks.partition(partition, question, ['history'], undefined, this.asker);
      }),
    );
    if (this.ordinalEnds === undefined) {
      this.ordinalEnds = answers.map((answer) => answer.ordinalEnd); // H2
      this.positions = answers.flatMap(({position}, i) =>
        position === undefined ? [] : positionText({partition: this.partitions[i]!, ...position}),
      );
    }
    const places = newestOf(answers, this.partitions, limit);
    const more =
      answers.some((answer) => answer.more) || places.length < sum(answers.map(({timesMs}) => timesMs.length));
    const isUserUnknown = answers.some((answer) => answer.isUserUnknown);
    const linkedTo = answers.find((answer) => answer.linkedTo !== undefined)?.linkedTo;
    const linked = linkedTo === undefined ? {} : {linkedTo};
    return {places, more, isUserUnknown, ...linked, events: answers.map(({events}) => events ?? [])};
  }

  /** Phase two, in the order of the places; leaves out rows that were erased. */
  private async readBodies({places, events}: PageRows): Promise<FoundBody[]> {
    const bodies = new Map<RowPlace, string>();
    const keep = (own: readonly RowPlace[], first: number, texts: readonly (string | null)[]) => {
      for (const [i, text] of texts.entries()) if (text !== null) bodies.set(own[first + i]!, this.held(text));
      return first + texts.length;
    };
    await Promise.all(
      this.partitions.map(async (partition, i) => {
        const own = places.filter((place) => place.partition === partition).sort((a, b) => a.ordinal - b.ordinal); // H3
        for (let done = keep(own, 0, events[i]!); done < own.length; ) {
          const ordinals = own.slice(done).map(({ordinal}) => ordinal);
          const answer = await this.asks.partition(
            partition,
            {ask: 'bodies', ordinals},
            ['bodies'],
            undefined,
            this.asker,
          );
          if (answer.events.length === 0) throw new Error('a partition answered no body at all');
          done = keep(own, done, answer.events);
        }
      }),
    );
    return places.flatMap((place) => {
      const text = bodies.get(place);
      return text === undefined ? [] : [{place, text}];
    });
  }

  private held(text: string): string {
    if (!this.share.take(text.length)) throw new RequestFailure(tooManyAnswers);
    return text;
  }
}

type RowLists = Pick<Extract<PartitionAnswer, {kind: 'history'}>, 'timesMs' | 'ordinals'>;

/** Merges lists that have their newest rows first; `partitions` ascend. */
function newestOf(lists: readonly RowLists[], partitions: readonly number[], limit: number): RowPlace[] {
  const next = lists.map(() => 0);
  const places: RowPlace[] = [];
  while (places.length < limit) {
    const list = newestList(lists, next);
    if (list < 0) break;
    const {timesMs, ordinals} = lists[list]!;
    const row = next[list]!;
    places.push({timeMs: timesMs[row]!, partition: partitions[list]!, ordinal: ordinals[row]!});
    next[list] = row + 1;
  }
  return places;
}

/** The list with the newest row, of equal times the one of the higher partition; -1 when all lists are used up. */
function newestList(lists: readonly RowLists[], next: readonly number[]): number {
  let newest = -1;
  let newestMs = Number.NEGATIVE_INFINITY;
  for (let list = 0; list < lists.length; list++) {
    const timeMs = lists[list]!.timesMs[next[list]!];
    if (timeMs === undefined || timeMs < newestMs) continue;
    newest = list;
    newestMs = timeMs;
  }
  return newest;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
