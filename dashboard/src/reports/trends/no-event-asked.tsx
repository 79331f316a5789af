// Stands in place of the lines while no event is asked for.
import {EmptyDays} from '../../shell/empty-days';

export interface NoEventAskedProps {
  /** The days in words. */
  readonly dates: string;
}

export const NoEventAsked = ({dates}: NoEventAskedProps) => (
  <EmptyDays title="Choose an event">
    Add one at the left, and see how often it came {dates}. Up to six stand beside each other.
  </EmptyDays>
);
