// The four figures at the top, of the last day of the range: events, and users active within 1, 7 and 30 days.
// Each is compared with the time before up to the same moment, as long as its day is not over.

import type {ActiveAnswer} from '../../../../src/edge/answers/active-users.js';
import type {NamesAnswer} from '../../../../src/edge/answers/lists.js';
import {beginsBefore} from '../../address/compared';
import {clockText, count, dayName, weekdayName} from '../../charts/format';
import {Sparkline} from '../../charts/sparkline';
import {ChangeText} from '../../shell/change-text';
import {type Behind, Explained} from '../../shell/explained';
import {ReportBody} from '../../shell/report-body';
import {plainNumbers} from './plain-numbers';
import {
  type Tiles as AskedTiles,
  activeOf,
  dayOf,
  namesOf,
  pastActiveOf,
  pastDays,
  pastNamesOf,
  type Scope,
} from './tiles-asked';

const scopeIn = ({zone, not_segment}: Scope): Scope => ({zone, not_segment});

const sumOf = ({data}: NamesAnswer): number => data.reduce((all, {count: one}) => all + one, 0);

export interface TilesProps {
  readonly tiles: AskedTiles;
}

export function Tiles({tiles: {day: asked, today: askedToday, scope: askedScope, since, now, past, days}}: TilesProps) {
  const shown = now.shown;
  const day = shown?.question.day ?? asked;
  const shownToday = shown?.question.today ?? askedToday;
  const scope = shown === undefined ? askedScope : scopeIn(shown.question);
  const names = shown?.of<NamesAnswer>(namesOf({...scope, ...dayOf(day)}));
  const untilMs = past.shown?.question.untilMs;
  const pastNames = past.shown?.of<NamesAnswer>(pastNamesOf(day, untilMs, scope)).value;
  const isOpen = day === shownToday;
  const until = isOpen && untilMs !== undefined ? ` by ${clockText(untilMs / 1_000).slice(0, 5)}` : '';
  const weekday = `${isOpen ? 'last ' : 'the '}${weekdayName(day * 86_400)}${isOpen ? '' : ' before'}${until}`;
  const eventDays = days.shown?.reports.map(({value}) => (value === undefined ? null : sumOf(value as NamesAnswer)));
  const name = dayName(day, shownToday);
  const ofDay = {days: {...scope, ...dayOf(day)}, today: shownToday, freshness: shown?.freshness};
  const on = name === 'today' || name === 'yesterday' ? name : `on ${name}`;
  return (
    <div class="row tiles">
      <section class="card tile span-3" aria-label={`Events ${on}`}>
        <span class="label">Events {on}</span>
        <ReportBody asking={now} reports={names === undefined ? [] : [names]} lines={1}>
          {() => (
            <Figure
              value={sumOf(names!.value!)}
              of={`events ${on}`}
              behind={async () => (await plainNumbers()).allEvents(sumOf(names!.value!), ofDay)}
              isAtLeast={names!.value!.has_more}
              before={beginsBefore({from: day - 7}, since) ? undefined : pastNames && sumOf(pastNames)}
              note={weekday}
              spark={eventDays === undefined ? [] : [...eventDays, sumOf(names!.value!)]}
              isOpen={isOpen}
            />
          )}
        </ReportBody>
      </section>
      {(
        [
          ['dau', isOpen ? 'Active users today' : `Active users ${on}`, weekday],
          ['wau', 'Active users, 7 days', 'the 7 days before'],
          ['mau', 'Active users, 30 days', 'the 30 days before'],
        ] as const
      ).map(([metric, label, note]) => {
        const report = shown?.of<ActiveAnswer>(activeOf(metric, day, scope));
        return (
          <section key={metric} class="card tile span-3" aria-label={label}>
            <span class="label">{label}</span>
            <ReportBody asking={now} reports={report === undefined ? [] : [report]} lines={1}>
              {() => (
                <Figure
                  value={report!.value!.data.at(-1)?.count ?? 0}
                  of={label}
                  behind={async () => {
                    const at = report!.value!.data.length - 1;
                    return (await plainNumbers()).activeUsers(report!.value!, ofDay, {at, text: name});
                  }}
                  before={
                    beginsBefore(pastDays(metric, day), since)
                      ? undefined
                      : past.shown?.of<ActiveAnswer>(pastActiveOf(metric, day, untilMs, scope)).value?.total
                  }
                  note={note}
                  spark={report!.value!.data.map((bucket) => bucket.count)}
                  isOpen={isOpen}
                  isMoreBetter
                />
              )}
            </ReportBody>
          </section>
        );
      })}
    </div>
  );
}

function Figure({
  value,
  of,
  behind,
  isAtLeast = false,
  before,
  note,
  spark,
  isOpen,
  isMoreBetter = false,
}: {
  readonly value: number;
  /** Words for what is counted. */
  readonly of: string;
  readonly behind: Behind;
  /** Whether more names exist than were asked for. */
  readonly isAtLeast?: boolean;
  readonly before: number | undefined;
  readonly note: string;
  readonly spark: readonly (number | null)[];
  readonly isOpen: boolean;
  readonly isMoreBetter?: boolean;
}) {
  return (
    <div class="figure-row">
      <span class="figure">
        {isAtLeast && <small>at least </small>}
        <Explained text={count(value)} of={of} behind={behind} />
      </span>
      <Sparkline values={spark} open={isOpen} width={96} />
      <span class="change" title={before === undefined ? undefined : `${count(before)} then`}>
        {before === 0 && value > 0 && 'none before'}
        {before !== undefined && (before > 0 || value === 0) && (
          <>
            <ChangeText now={value} before={before} isMoreBetter={isMoreBetter} />
            {before > 0 && ` against ${note}`}
          </>
        )}
      </span>
    </div>
  );
}
