// Export of stored events, page by page, from the same snapshots or newer ones.
import type {Condition} from '../../actors/report/rows/condition.js';
import type {EventId, EventPlace} from '../../actors/report/rows/event-places.js';

/** A page of the events in [fromMs, toMs], in the order of their places (actors/report/rows/event-places.ts). */
export interface ExportQuery {
  readonly event?: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Conditions that must all hold. */
  readonly where: readonly Condition[];
  /** The last event of the previous page, and the first page's bounds, which exclude later events. */
  readonly start?: {readonly after: EventPlace; readonly ordinalEnds: readonly number[]};
  /** First page only: events after the one with this id. */
  readonly afterId?: EventId;
  /** Bytes of the events' texts in an answer, a line each; an answer has one event at least. */
  readonly bytesMax: number;
}

export type ExportAnswer =
  | {
      readonly kind: 'exported';
      /** `Report-Log-Position` and time of the snapshots of this page. */
      readonly position: string;
      readonly asOf: string;
      /** JSON texts of events, as GET /v1/events shows them, a line each. */
      readonly lines: Uint8Array<ArrayBuffer>;
      /** Number of lines. */
      readonly events: number;
      /** Where the next page starts; undefined after the last. */
      readonly next?: NonNullable<ExportQuery['start']>;
    }
  /** No event has the id of `afterId`. */
  | {readonly kind: 'unknown_event'};
