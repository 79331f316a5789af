// Annotations of charts, and the place of their crosshair. The first view is drawn without the annotations, whose part
// (annotation-marks.ts) is loaded after it.
import {signal} from '@preact/signals';
import {useMemo} from 'preact/hooks';
import type {ChartMarks} from './time-chart';

type Marker = (times: readonly number[], lastDay: number, zone: string) => ChartMarks;

/** Undefined before the annotations are known. */
export const marker = signal<Marker | undefined>(undefined);

/** Start of the bucket where the crosshair of a chart stands: epoch seconds, as the chart's times. */
export const crosshair = signal<number | undefined>(undefined);
export const onCrosshair = (seconds: number | undefined): void => {
  crosshair.value = seconds;
};

/** Marks of a chart with these buckets. `lastDay`: days since 1970-01-01 in the zone, inclusive. */
export function useMarks(times: readonly number[], lastDay: number, zone = 'UTC'): ChartMarks | undefined {
  const mark = marker.value;
  return useMemo(() => mark?.(times, lastDay, zone), [mark, times, lastDay, zone]);
}
