// Active users by the values of a property: a line for each of the most frequent ones, and their users in all.
import {useMemo, useState} from 'preact/hooks';
import type {ActiveAnswer} from '../../../../src/edge/answers/active-users.js';
import {askedOver, type Draft} from '../../address/page-question';
import {intervalOf} from '../../address/report-address';
import {wallMs} from '../../address/zone';
import {type AnsweredLine, chartOf, csvRows} from '../../charts/charted';
import {ChosenPoints} from '../../charts/chosen-points';
import {soFarText} from '../../charts/comparison';
import {bucketText, count, datesText, percent} from '../../charts/format';
import {rowText} from '../../charts/series-lines';
import {TimeChart} from '../../charts/time-chart';
import {TimeTable} from '../../charts/time-table';
import {TableFrame} from '../../controls/table-frame';
import {useReports} from '../../service/reports';
import {Card} from '../../shell/card';
import {Explained, explaining} from '../../shell/explained';
import {ReportTools} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import {type ResultProps, useFresh} from '../report';
import {rowOf} from './active-behind';
import {metricLabels} from './metrics';

const faintTone = 'faint';
const tonesMax = 6;

type Whole = ResultProps<Draft<'active'>>;
export type ByValueProps = Pick<Whole, 'question' | 'days' | 'today' | 'tile' | 'tools'> & {
  readonly by: string;
  /** Absent: it is a part of the page. */
  readonly onFresh?: Whole['onFresh'];
};

export function ByValue({question, by, days, today, tile, tools, onFresh}: ByValueProps) {
  const [isTable, setTable] = useState(false);
  const interval = intervalOf(question.interval ?? null, days);
  const {metric} = question;
  const {zone} = days;
  const behind = rowOf({question, days, dates: datesText(days, today), interval, zone});
  const asking = useReports({behind, by, interval, metric, zone}, [askedOver(question, days, interval)]);
  const {shown} = asking;
  useFresh({onFresh}, shown?.freshness);
  const report = shown?.reports[0];
  const answer = report?.value as ActiveAnswer | undefined;
  const shownInterval = shown?.question.interval ?? interval;
  const shownZone = shown?.question.zone ?? zone;
  const rows = answer?.breakdown?.rows ?? [];
  const lines = useMemo(
    () =>
      (answer?.breakdown?.rows ?? [])
        .slice(0, tonesMax)
        .map((row, at): AnsweredLine => ({label: rowText(row), tone: at + 1, answer: row, meta: report?.meta})),
    [shown],
  );
  const chart = useMemo(() => chartOf(lines, shownInterval, (ms) => wallMs(shownZone, ms)), [lines]);
  const moment = useMemo(
    () => (seconds: number) => bucketText(seconds, shownInterval, shownZone),
    [shownInterval, shownZone],
  );
  const props = {
    ...chart,
    label: tile?.title ?? 'Active users by value',
    clock: shownInterval === 'hour',
    zone: shownZone,
    moment,
  };
  const explainPoint = (at: number, index: number): void => {
    const bucket = {at, text: moment(chart.times[at]!)};
    explaining.value = shown!.question.behind(rows[index]!, shown!.freshness, bucket);
  };
  const name = (shown?.question.by ?? by).replace(/^trait:/, 'trait ');
  const note = `${metricLabels[shown?.question.metric ?? metric].toLowerCase()} users by ${name}`;
  return (
    <Card
      span={12}
      title={tile?.title ?? 'By value'}
      note={note}
      address={tile?.address}
      tools={
        <>
          {tools}
          {rows.length > 0 && (
            <ReportTools
              paths={[report!.path]}
              csv={{file: 'active-users-by-value', rows: () => csvRows(lines)}}
              table={{isTable, onChange: setTable}}
            />
          )}
        </>
      }
    >
      {tile?.before}
      <ReportBody asking={asking} reports={shown?.reports ?? []} lines={8}>
        {() => (
          <>
            {isTable ? (
              <TimeTable {...props} onNumber={explainPoint} />
            ) : (
              <ChosenPoints lines={chart} onNumber={explainPoint}>
                <TimeChart
                  {...props}
                  isApart
                  height={260}
                  openText={soFarText(shown?.freshness && wallMs(shownZone, shown.freshness.asOfMs))}
                />
              </ChosenPoints>
            )}
            {!tile && (
              <TableFrame label="Values in numbers">
                <table class="grid-table">
                  <thead>
                    <tr>
                      <th>Value</th>
                      <th class="number">Users in all</th>
                      <th class="number">Share</th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((row, at) => (
                      <tr key={rowText(row)} class={`tone-${at < tonesMax ? at + 1 : faintTone}`}>
                        <td>
                          <span class="swatch" aria-hidden="true" />
                          {rowText(row)}
                        </td>
                        <td class="number">
                          <Explained
                            text={count(row.total)}
                            of={rowText(row)}
                            behind={shown!.question.behind(row, shown!.freshness)}
                          />
                        </td>
                        <td class="number">{answer!.total === 0 ? '–' : percent(row.total / answer!.total)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </TableFrame>
            )}
            {!tile && (
              <p class="page-note under-chart">
                A user who had several values counts in each of them, so shares of all users may add up to more than all
                of them.
              </p>
            )}
          </>
        )}
      </ReportBody>
    </Card>
  );
}
