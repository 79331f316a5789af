// The length of a bucket. One that would make too many of them is off, and says why.
import {allowsInterval, type Days, type Interval, intervals} from '../address/range';

const words: Readonly<Record<Interval, string>> = {hour: 'Hour', day: 'Day', week: 'Week', month: 'Month'};

export function IntervalControl({
  interval,
  days,
  onChoose,
}: {
  readonly interval: Interval;
  readonly days: Days;
  readonly onChoose: (interval: Interval) => void;
}) {
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">Length of a bucket</legend>
      {intervals.map((one) => {
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
            {words[one]}
          </button>
        );
      })}
    </fieldset>
  );
}
