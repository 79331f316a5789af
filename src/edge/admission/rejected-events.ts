// The newest refusals of events, identifies and bodies of the write routes, for GET /v1/rejected.
//   RE1. The only text of a client that is held is a valid name of an event, and only in memory: refused data may be anything.
//   RE2. Refusals are held in a ring of columns with a fixed number of places.
import type {ErrorCode} from '../failure.js';

/** Codes of faults in the data, not in its sender or time. */
export const rejectedCodes = [
  'invalid_json',
  'invalid_request',
  'invalid_event',
  'event_too_large',
  'too_many_names',
  'unknown_name',
  'payload_too_large',
  'batch_too_large',
  'unsupported_media_type',
  'request_timeout',
] as const satisfies readonly ErrorCode[];

type RejectedCode = (typeof rejectedCodes)[number];

/** Field names of the API. Any other name, such as an unknown parameter's, is a client's text. RE1 */
const fields: readonly (string | null)[] = [
  null,
  'event',
  'userId',
  'anonymousId',
  'messageId',
  'properties',
  'traits',
  'traitsOnce',
  'timestamp',
  'sentAt',
  'context',
  '__proto__',
  'events',
];

/** The field if it is a name of the API; null for any other text. RE1 */
export const ownFieldName = (field: string | undefined): string | null =>
  field !== undefined && fields.includes(field) ? field : null;

export interface Rejected {
  readonly atMs: number;
  readonly code: RejectedCode;
  readonly field: string | null;
  /** Index in its batch; null for a single event and for a whole body. */
  readonly index: number | null;
  /** Name of the event, if it is valid. */
  readonly event: string | null;
  readonly keyId: string;
}

const placesMax = 10_000;
const noIndex = -1;

export class RejectedEvents {
  private readonly wallMs: () => number;
  /** Start of the ring, epoch ms. */
  readonly sinceMs: number;
  private readonly times = new Float64Array(placesMax);
  private readonly codes = new Uint8Array(placesMax);
  private readonly fields = new Uint8Array(placesMax);
  private readonly indexes = new Int16Array(placesMax);
  private readonly events: (string | null)[] = [];
  private readonly keyIds: string[] = [];
  /** Refusals since the start; refusal n is at place n modulo `placesMax`. */
  private count = 0;

  constructor(wallMs: () => number) {
    this.wallMs = wallMs;
    this.sinceMs = wallMs();
  }

  /** Ignores a code that is not a `RejectedCode`. */
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
