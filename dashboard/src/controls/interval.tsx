// The length of a bucket. One that would make too many of them is off, and says why.
import {allowsInterval, type Days, type Interval, intervals} from '../address/range';

const words = (interval: Interval): string => interval[0]!.toUpperCase() + interval.slice(1);

export function IntervalControl({
  interval,
  offered = intervals,
  days,
  onChoose,
}: {
  readonly interval: Interval;
  readonly offered?: readonly Interval[] | undefined;
  readonly days: Days;
  readonly onChoose: (interval: Interval) => void;
}) {
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">Length of a bucket</legend>
      {offered.map((one) => {
        const isAllowed = allowsInterval(days, one);
        return (
          <button
            key={one}
            type="button"
            aria-pressed={one === interval}
            disabled={!isAllowed}
            title={isAllowed ? undefined : `These days have more than 10,000 buckets by the ${one}`}
            onClick={() => onChoose(one)}
          >
            {words(one)}
          </button>
        );
      })}
    </fieldset>
  );
}
