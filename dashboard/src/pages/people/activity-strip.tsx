// Days as bars. What was not read yet is hatched, and not empty.
import {activityOf} from '../../charts/activity';
import {count, datesText, longDayText} from '../../charts/format';
import type {History} from '../../service/person-history';
import {today} from '../../service/today';
import {FaultBox, Loading} from '../../shell/states';

export function ActivityStrip({
  history,
  last,
  length,
}: {
  readonly history: History;
  /** The newest day, since 1970-01-01. */
  readonly last: number;
  readonly length: number;
}) {
  if (history.fault !== undefined && history.events.length === 0) return <FaultBox fault={history.fault} />;
  if (history.isReading && history.events.length === 0) return <Loading lines={2} />;
  const days = activityOf(
    history.events.map(({timestamp}) => Date.parse(timestamp)),
    !history.hasMore,
    last,
    length,
  );
  const most = Math.max(1, ...days.map((day) => day.count ?? 0));
  const active = days.filter((day) => (day.count ?? 0) > 0);
  const sum = active.reduce((all, day) => all + day.count!, 0);
  const isPart = days.some((day) => day.count === null);
  const words =
    `${count(sum)} ${sum === 1 ? 'event' : 'events'} on ${active.length} of ${length} days, ` +
    `${datesText({from: last - length + 1, to: last}, today.value)}${isPart ? '; the hatched days are not read yet' : ''}`;
  return (
    <figure class="activity">
      <div class="strip-days" role="img" aria-label={words}>
        {days.map((day) => (
          <i
            key={day.day}
            class={day.count === null ? 'unknown' : day.count === 0 ? 'none' : ''}
            style={{'--share': `${(100 * (day.count ?? 0)) / most}%`}}
            title={`${longDayText(day.day * 86_400)}: ${day.count === null ? 'not read yet' : count(day.count)}`}
          />
        ))}
      </div>
      <figcaption>
        {words}, at most {count(most)} a day
      </figcaption>
    </figure>
  );
}
