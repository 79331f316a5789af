// What a page for whoever has a link shows. The pages of reports show it as any other question, without what asks something else.
import {signal} from '@preact/signals';
import type {Answer} from './client';

export interface Shared {
  readonly name: string;
  readonly page: string;
  /** The address of the report. */
  readonly search: string;
  /** Time of the answers, by the service's clock: relative ranges end with its day. */
  readonly atMs: number;
  /** Up to when the numbers are exact; undefined when none of them was answered. */
  readonly asOfMs: number | undefined;
  /** Answers a path that the report asks. */
  readonly read: <Value>(path: string) => Promise<Answer<Value>>;
}

/** Undefined on every other page. */
export const shared = signal<Shared | undefined>(undefined);
