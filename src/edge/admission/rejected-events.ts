// The newest refusals of events, identifies and bodies of the write routes, for GET /v1/rejected.
//   RE1. The only text of a client here is the name of an event, where it is valid, and never on disk: what was refused may be
//        anything.
//   RE2. A ring in columns, of a fixed number of places: the newest refusals are held.
import type {ErrorCode} from '../failure.js';

/** Codes of faults in what was sent, and not in who sent it or when. */
export const rejectedCodes = [
  'invalid_json',
  'invalid_request',
  'invalid_event',
  'event_too_large',
  'payload_too_large',
  'batch_too_large',
  'unsupported_media_type',
  'request_timeout',
] as const satisfies readonly ErrorCode[];

export type RejectedCode = (typeof rejectedCodes)[number];

/** Field names of the API. Any other, such as that of an unknown parameter, is the client's text. RE1 */
const fields: readonly (string | null)[] = [
  null,
  'event',
  'userId',
  'anonymousId',
  'messageId',
  'properties',
  'traits',
  'timestamp',
  'sentAt',
  'context',
  '__proto__',
  'events',
];

/** A field by its name of ours; null for any other text. RE1 */
export const ownFieldName = (field: string | undefined): string | null =>
  field !== undefined && fields.includes(field) ? field : null;

export interface Rejected {
  readonly atMs: number;
  readonly code: RejectedCode;
  readonly field: string | null;
  /** Index in its batch; null for a single event and for a whole body. */
  readonly index: number | null;
  /** Name of the event, where it is a valid one. */
  readonly event: string | null;
  readonly keyId: string;
}

const placesMax = 10_000;
const noIndex = -1;

export class RejectedEvents {
  private readonly wallMs: () => number;
  /** When it began. */
  readonly sinceMs: number;
  private readonly times = new Float64Array(placesMax);
  private readonly codes = new Uint8Array(placesMax);
  private readonly fields = new Uint8Array(placesMax);
  private readonly indexes = new Int16Array(placesMax);
  private readonly events: (string | null)[] = [];
  private readonly keyIds: string[] = [];
  /** Refusals since the start; the place of each is its number modulo `placesMax`. */
  private count = 0;

  constructor(wallMs: () => number) {
    this.wallMs = wallMs;
    this.sinceMs = wallMs();
  }

  /** A code that is no `RejectedCode` is not kept. */
  add(
    code: ErrorCode,
    keyId: string,
    {
      field,
      index,
      event,
    }: {readonly field?: string | undefined; readonly index?: number; readonly event?: string | undefined},
  ): void {
    const codeNumber = (rejectedCodes as readonly string[]).indexOf(code);
    if (codeNumber < 0) return;
    const place = this.count % placesMax;
    this.count += 1;
    this.times[place] = this.wallMs();
    this.codes[place] = codeNumber;
    this.fields[place] = Math.max(0, fields.indexOf(field ?? null));
    this.indexes[place] = index ?? noIndex;
    this.events[place] = event ?? null;
    this.keyIds[place] = keyId;
  }

  /** The newest first; only those of `code`, if one is given. */
  *newest(code?: RejectedCode): Generator<Rejected> {
    const {count} = this;
    for (let number = count - 1; number >= Math.max(0, count - placesMax); number--) {
      const one = this.at(number % placesMax);
      if (code === undefined || one.code === code) yield one;
    }
  }

  private at(place: number): Rejected {
    return {
      atMs: this.times[place]!,
      code: rejectedCodes[this.codes[place]!]!,
      field: fields[this.fields[place]!]!,
      index: this.indexes[place] === noIndex ? null : this.indexes[place]!,
      event: this.events[place]!,
      keyId: this.keyIds[place]!,
    };
  }
}
