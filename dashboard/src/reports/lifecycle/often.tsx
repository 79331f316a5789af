// Stickiness: how many users were active in how many buckets, in a card.
import {useMemo, useState} from 'preact/hooks';
import type {StickinessAnswer} from '../../../../src/edge/answers/engagement.js';
import {BarChart} from '../../charts/bar-chart';
import type {BarSeries} from '../../charts/bars';
import {count, percent} from '../../charts/format';
import {TableFrame} from '../../controls/table-frame';
import type {Asking, Shown} from '../../service/reports';
import {Card} from '../../shell/card';
import {type Behind, Explained} from '../../shell/explained';
import {ReportTools} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import {Empty} from '../../shell/states';
import {oftenBehind} from './behind';
import type {LifecycleAsked} from './stages';

interface OftenProps {
  readonly asking: Asking<LifecycleAsked>;
  /** The event in words. */
  readonly name: string;
}

/** Explanation of the users who were active in `buckets` buckets; absent: in any number. */
const oftenOf =
  ({question: asked, freshness}: Shown<LifecycleAsked>, value: number, isAtLeast: boolean, buckets?: number): Behind =>
  () => {
    const {question, days, dates, interval, zone} = asked;
    return oftenBehind({value, question, days, interval, buckets, isAtLeast, when: `${dates} (${zone})`, freshness});
  };

export function Often({asking, name}: OftenProps) {
  const [isTable, setTable] = useState(false);
  const {shown} = asking;
  const answer = shown?.reports[0]?.value as StickinessAnswer | undefined;
  const interval = shown?.question.interval ?? 'day';
  const data = answer?.data ?? [];
  const isAtLeast = answer?.at_least === true;
  const series = useMemo(
    (): BarSeries[] => [{label: 'Users', tone: 4, values: (answer?.data ?? []).map(({users}) => users)}],
    [answer],
  );
  const inWords = (at: number): string => `${at + 1} ${interval}${at === 0 ? '' : 's'}${isAtLeast ? ' or more' : ''}`;
  // The first bar of `at_least` has all users.
  const total = isAtLeast ? (data[0]?.users ?? 0) : (answer?.total ?? 0);
  return (
    <Card
      span={12}
      title="Stickiness"
      note={`users by the number of ${interval}s with ${name}`}
      sum={
        answer !== undefined && (
          <>
            <b>
              <Explained text={count(total)} of="users" behind={oftenOf(shown!, total, isAtLeast)} />
            </b>{' '}
            users
          </>
        )
      }
      tools={
        answer !== undefined && (
          <ReportTools
            paths={[shown!.reports[0]!.path]}
            csv={{
              file: 'stickiness',
              rows: () => [['buckets', 'users'], ...data.map(({buckets, users}) => [buckets, users])],
            }}
            table={{isTable, onChange: setTable}}
          />
        )
      }
    >
      <ReportBody asking={asking} reports={shown?.reports ?? []} lines={6}>
        {() =>
          total === 0 ? (
            <Empty title="Nobody was active in these days">
              Stickiness counts in how many {interval}s each user was active.
            </Empty>
          ) : isTable ? (
            <TableFrame label="Stickiness, as a table">
              <table class="grid-table">
                <thead>
                  <tr>
                    <th>Active in</th>
                    <th class="number">Users</th>
                    <th class="number">Share</th>
                  </tr>
                </thead>
                <tbody>
                  {data.map(({buckets, users}, at) => (
                    <tr key={buckets}>
                      <td>{inWords(at)}</td>
                      <td class="number">
                        <Explained
                          text={count(users)}
                          of={inWords(at)}
                          behind={oftenOf(shown!, users, isAtLeast, buckets)}
                        />
                      </td>
                      <td class="number">{total === 0 ? '–' : percent(users / total)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </TableFrame>
          ) : (
            <BarChart
              label="Stickiness"
              height={220}
              bars={data.length}
              series={series}
              tick={(at) => String(at + 1)}
              moment={inWords}
            />
          )
        }
      </ReportBody>
    </Card>
  );
}
