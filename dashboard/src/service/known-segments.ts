// The names of the segments, as this browser last read them.
import {signal} from '@preact/signals';
import type {SegmentAnswer} from '../../../src/edge/answers/segments.js';

/** Undefined while nothing has read them. */
export const knownSegments = signal<readonly Pick<SegmentAnswer, 'id' | 'name'>[] | undefined>(undefined);

/** Who opened a link has no list of them. */
export const segmentName = (id: string): string =>
  knownSegments.value?.find((one) => one.id === id)?.name ?? 'a saved segment';
