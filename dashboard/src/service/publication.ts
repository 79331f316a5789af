// Publications: visible pages ask again when the stream announces one. Without a stream they ask at the time that reports name
// for the next one.
import {effect, signal} from '@preact/signals';
import {isShared} from '../address/base';
import {now} from './now';
import {listen} from './stream';

/** Counts the times at which every visible report asks again. */
export const publication = signal(0);

let dueMs = Number.POSITIVE_INFINITY;
/** Reports that are late, or promised every second, are asked for no more often than this. */
export const pauseMs = 10_000;
/** A publication takes a moment until every edge has it. */
const marginMs = 1_500;
let askedMs = 0;

/** A report was answered, and says when the next one is due. */
export function expectPublication(nextByMs: number): void {
  dueMs = Math.max(nextByMs + marginMs, askedMs + pauseMs);
}

effect(() => {
  if (now.value < dueMs || document.visibilityState !== 'visible') return;
  askedMs = now.value;
  dueMs = askedMs + pauseMs;
  publication.value = publication.peek() + 1;
});

// Partitions publish one after another: the next of them must not put off what is due already.
if (!isShared)
  listen('published', () => {
    dueMs = Math.min(dueMs, Math.max(now.peek() + marginMs, askedMs + pauseMs));
  });
