// The first line of a report's page: its name, how fresh it is, which days, which buckets; and what the address got wrong. A link
// has a line of its own (share/share.tsx).

import type {Problem} from '../address/codec';
import {comparedDays} from '../address/compared';
import {type Compare, daysOf, type Interval, type Range} from '../address/range';
import {homeZone} from '../address/zone';
import {IntervalControl} from '../controls/interval';
import {type DayPlace, RangeControl} from '../controls/range';
import type {Freshness} from '../service/freshness';
import {AddressProblems} from './address-problems';
import type {DayNotesProps} from './day-notes';
import {FreshnessPill} from './freshness';
import {Head} from './head';
import {later} from './later';
import {SaveButton} from './save-button';
import type {WithoutSwitchProps} from './without-switch';
import {todayIn} from './zone-day';

const DayNotes = later<DayNotesProps>(() => import('./day-notes').then(({DayNotes: Part}) => Part));

const WithoutSwitch = later<WithoutSwitchProps>(() => import('./without-switch').then(({WithoutSwitch: Part}) => Part));

export function ReportHead({
  title,
  freshness,
  problems,
  range,
  interval,
  offered,
  compare,
  since,
  notSegment,
  place = {zone: homeZone(), today: todayIn(homeZone())},
  isQuestion = true,
  ask,
}: {
  readonly title: string;
  readonly freshness: Freshness | undefined;
  readonly problems: readonly Problem[];
  readonly range: Range;
  /** Undefined: the page has no buckets, or compares nothing. */
  readonly interval?: Interval;
  /** Absent: every length. */
  readonly offered?: readonly Interval[];
  readonly compare?: Compare;
  /** The first day with data, where it is known. */
  readonly since?: number | undefined;
  /** Id of the segment whose users do not count; null: everybody does. */
  readonly notSegment: string | null;
  /** Absent: that of the service. */
  readonly place?: DayPlace;
  /** The page is one question, which can be saved. */
  readonly isQuestion?: boolean;
  readonly ask: (changed: {
    range?: Range;
    every?: Interval | null;
    compare?: Compare;
    not_segment?: string | null;
  }) => void;
}) {
  const days = daysOf(range, place.today);
  const past = interval && compare && comparedDays(days, interval, compare);
  // Another range has an interval of its own.
  const onRange = (chosen: Range): void => ask(interval === undefined ? {range: chosen} : {range: chosen, every: null});
  return (
    <>
      <Head title={title} freshness={<FreshnessPill freshness={freshness} />}>
        <RangeControl
          range={range}
          place={place}
          {...(compare === undefined ? {} : {compare, onCompare: (chosen: Compare) => ask({compare: chosen})})}
          onRange={onRange}
        />
        {interval !== undefined && (
          <IntervalControl interval={interval} offered={offered} days={days} onChoose={(every) => ask({every})} />
        )}
        <WithoutSwitch {...{notSegment}} onChange={(not_segment) => ask({not_segment})} />
        {isQuestion && <SaveButton />}
      </Head>
      <DayNotes {...{days, past, since, place, onRange, freshness}} />
      <AddressProblems problems={problems} onDrop={() => ask({})} />
    </>
  );
}
