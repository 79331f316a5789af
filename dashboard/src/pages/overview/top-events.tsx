// The most frequent names, each with its share of the first, and its change. Each leads to its trend.

import type {NamesAnswer} from '../../../../src/edge/answers/lists.js';
import {pageAddress} from '../../address/base';
import {questionAddress} from '../../address/page-question';
import type {Days, Range} from '../../address/range';
import {count} from '../../charts/format';
import type {Asking} from '../../service/reports';
import {Card} from '../../shell/card';
import {ChangeText} from '../../shell/change-text';
import {type Behind, Explained} from '../../shell/explained';
import {ReportTools} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import {todayIn} from '../../shell/zone-day';
import {plainNumbers} from './plain-numbers';

const shownMax = 9;

export interface TopEventsProps {
  readonly names: Asking<{readonly days: Days & {readonly zone: string}}>;
  /** Undefined: it compares with nothing. */
  readonly pastNames: Asking<unknown> | undefined;
  readonly range: Range;
  readonly zone: string;
  readonly notSegment: string | null;
}

export function TopEvents({names, pastNames, range, zone, notSegment}: TopEventsProps) {
  const report = names.shown?.reports[0];
  const answer = report?.value as NamesAnswer | undefined;
  const past = pastNames?.shown?.reports[0]?.value as NamesAnswer | undefined;
  const pastCounts = new Map(past?.data.map(({name, count: one}) => [name, one]));
  const top = answer?.data[0]?.count ?? 1;
  const trendOf = (event: string): string =>
    pageAddress(questionAddress<'counts'>('/trends', {events: [{event}]}, {range, zone, not_segment: notSegment}));
  const behind =
    (event: string, value: number): Behind =>
    async () => {
      const {question, freshness} = names.shown!;
      return (await plainNumbers()).eventsNamed(event, value, {
        days: question.days,
        today: todayIn(question.days.zone),
        freshness,
      });
    };
  return (
    <Card
      span={4}
      title="Top events"
      note={
        answer === undefined ? undefined : `of ${count(answer.data.length)}${answer.has_more ? ' and more' : ''} names`
      }
      tools={
        answer !== undefined && (
          <ReportTools
            paths={[report!.path]}
            csv={{
              file: 'events',
              rows: () => [
                ['name', 'count', 'first_seen', 'last_seen'],
                ...answer.data.map((one) => [one.name, one.count, one.first_seen, one.last_seen]),
              ],
            }}
          />
        )
      }
    >
      <ReportBody asking={names} reports={names.shown?.reports ?? []} lines={8}>
        {() => (
          <table class="grid-table top-events">
            <thead>
              <tr>
                <th>Event</th>
                <th class="number">Count</th>
                {past !== undefined && <th class="number">Change</th>}
              </tr>
            </thead>
            <tbody>
              {answer!.data.slice(0, shownMax).map((one) => (
                <tr key={one.name}>
                  <td class="name">
                    <a
                      class="bar-cell"
                      href={trendOf(one.name)}
                      title={one.name}
                      style={{'--share': `${Math.max(0.6, (100 * one.count) / top).toFixed(1)}%`}}
                    >
                      <span>{one.name}</span>
                    </a>
                  </td>
                  <td class="number">
                    <Explained text={count(one.count)} of={one.name} behind={behind(one.name, one.count)} />
                  </td>
                  {past !== undefined && (
                    <td class="number">
                      <ChangeText
                        now={one.count}
                        // A name beyond those that were asked for has some count, which is not known here.
                        before={pastCounts.get(one.name) ?? (past.has_more ? undefined : 0)}
                      />
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </ReportBody>
    </Card>
  );
}
