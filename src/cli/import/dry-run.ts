// What an import would send, without a service: lines by kind of call, events by name, and what would be refused or left out.
//   DR1. Entries are judged by the validator that the service asks (src/ingest/validate.ts). What only a service knows (how many
//        names there are, whether the key may set traits) is not judged.

import {isoText} from '../../../actors/calendar.js';
import {parseTimestamp} from '../../../actors/log/timestamp.js';
import {inexactNumber} from '../../ingest/inexact-numbers.js';
import {EventDraft, readEvent, readIdentify} from '../../ingest/validate.js';
import type {Line} from './line.js';
import {count} from './progress.js';
import {type LineMeaning, type Refusal, readLine, type SourceEvent} from './source-event.js';
import {refusalLines} from './summary.js';
import {countAccepted, countRefused, emptyTally} from './tally.js';
import type {VendorFormat} from './vendor-formats.js';

/** Names that are shown; the others are counted together. */
const namesShownMax = 50;
/** Names that are counted separately: a file may have a name for each line. */
const namesMax = 100_000;
const otherNames = '(other names)';

export class DryRun {
  readonly #tally = emptyTally();
  readonly #calls = new Map<string, number>();
  readonly #events = new Map<string, number>();
  readonly #ignored = new Map<string, number>();
  readonly #draft = new EventDraft();
  #identifies = 0;
  #joins = 0;
  #firstMs = Number.POSITIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly format: VendorFormat | undefined,
    private readonly nowMs: number,
  ) {}

  get refusedCount(): number {
    return this.#tally.refused;
  }

  take(line: Line): void {
    const meaning = readLine(line, '', this.format);
    if (meaning.kind === 'blank') return;
    const refusal = meaning.kind === 'refused' ? meaning.refusal : this.#takeCall(meaning);
    if (refusal !== undefined) countRefused(this.#tally, line.number, refusal);
  }

  #takeCall(meaning: Extract<LineMeaning, {readonly ignored: unknown}>): Refusal | undefined {
    addOne(this.#calls, meaning.call);
    for (const name of meaning.ignored) addOne(this.#ignored, name);
    if (meaning.kind === 'left_out') {
      this.#tally.leftOut += 1;
      return undefined;
    }
    for (const entry of meaning.entries) {
      const refusal = this.#judge(entry);
      if (refusal !== undefined) return refusal;
    }
    countAccepted(this.#tally, false);
    for (const entry of meaning.entries) this.#note(entry);
    return undefined;
  }

  /** DR1 */
  #judge({call, json}: SourceEvent): Refusal | undefined {
    const value = bodyOf(json);
    const origin = {receivedMs: this.nowMs, inexact: inexactNumber(json)};
    if (call === 'event') return readEvent(value, origin, this.#draft);
    const read = readIdentify(value, origin);
    return 'code' in read ? read : undefined;
  }

  #note({call, json}: SourceEvent): void {
    const {event, userId, anonymousId, timestamp} = bodyOf(json);
    if (call === 'event') addOne(this.#events, String(event));
    else this.#identifies += 1;
    if (typeof userId === 'string' && typeof anonymousId === 'string') this.#joins += 1;
    if (typeof timestamp !== 'string') return;
    const timeMs = parseTimestamp(timestamp);
    this.#firstMs = Math.min(this.#firstMs, timeMs);
    this.#lastMs = Math.max(this.#lastMs, timeMs);
  }

  text(fileName: string): string {
    const {accepted, leftOut, refused} = this.#tally;
    const events = [...this.#events.values()].reduce((sum, one) => sum + one, 0);
    const span = this.#firstMs > this.#lastMs ? [] : [`  from ${isoText(this.#firstMs)} to ${isoText(this.#lastMs)}`];
    return [
      `${fileName}: nothing was sent (--dry-run).`,
      `  would be sent  ${count(accepted)} lines: ${count(events)} events, ${count(this.#identifies)} identify calls; ${count(this.#joins)} entries have both ids, which join`,
      `  left out       ${count(leftOut)}`,
      `  refused        ${count(refused)}`,
      ...refusalLines(this.#tally),
      ...span,
      ...listOf('calls', this.#calls),
      ...listOf('events', this.#events),
      ...listOf('fields without a place here, by lines', this.#ignored),
      '',
    ].join('\n');
  }
}

const bodyOf = (json: Buffer): Record<string, unknown> => JSON.parse(json.toString('utf8')) as Record<string, unknown>;

function addOne(counts: Map<string, number>, name: string): void {
  const key = counts.has(name) || counts.size < namesMax ? name : otherNames;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function listOf(title: string, counts: ReadonlyMap<string, number>): string[] {
  if (counts.size === 0) return [];
  const sorted = [...counts].sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1));
  const shown = sorted
    .slice(0, namesShownMax)
    .map(([name, lines]) => `${count(lines).padStart(13)}  ${printable(name)}`);
  const more = sorted.length - shown.length;
  return [`  ${title}:`, ...shown, ...(more > 0 ? [`${' '.repeat(15)}and ${count(more)} more`] : [])];
}

/** Names are of the file, which must not control the terminal. */
const printable = (name: string): string => name.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ').slice(0, 200);
