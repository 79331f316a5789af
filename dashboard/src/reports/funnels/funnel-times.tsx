// A funnel over time: the share that converted by the time of entry, and how long each step took.
import {useMemo, useState} from 'preact/hooks';
import type {WalkedFunnelAnswer} from '../../../../src/edge/answers/funnels.js';
import type {Interval} from '../../address/range';
import type {Span} from '../../address/report-address';
import {homeZone, wallMs} from '../../address/zone';
import {chartOf} from '../../charts/charted';
import {bucketText, count, duration, percent, secondsOf} from '../../charts/format';
import {shareText} from '../../charts/share-text';
import {sharesBelow} from '../../charts/shares-below';
import {TimeChart} from '../../charts/time-chart';
import {TableFrame} from '../../controls/table-frame';
import {useReports} from '../../service/reports';
import {Card} from '../../shell/card';
import {ReportTools} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import {type FunnelDraft, funnelTimesQuestion, stepLabel} from './funnel-question';
import './funnel-times.css';

interface FunnelTimesProps {
  readonly question: FunnelDraft;
  readonly span: Span;
  readonly interval: Interval;
}

export function FunnelTimes({question, span, interval}: FunnelTimesProps) {
  const [isTable, setTable] = useState(false);
  const names = question.order === 'any' ? undefined : question.steps.map(stepLabel);
  const zone = span.zone ?? homeZone();
  const {window} = question;
  const asking = useReports({interval, zone, names, window}, [funnelTimesQuestion(question, span, interval)]);
  const {shown} = asking;
  const report = shown?.reports[0];
  const answer = report?.value as WalkedFunnelAnswer | undefined;
  const shownInterval = shown?.question.interval ?? interval;
  const isLimited = shown !== undefined && shown.question.window !== undefined;
  const chart = useMemo(() => {
    const data = (answer?.data ?? []).map(({date, count: entered, conversion_rate}) => ({
      date,
      // A bucket without entrants has no conversion rate.
      count: entered === 0 ? null : conversion_rate,
    }));
    // Without a window everybody may still convert: a line that is dashed all along would say nothing.
    const meta = isLimited ? report?.meta : undefined;
    const line = {label: 'Conversion', tone: 1, answer: {data}, meta};
    return chartOf([line], shownInterval, (ms) => wallMs(zone, ms));
  }, [answer, shownInterval, isLimited]);
  const moment = useMemo(
    () => (seconds: number) => bucketText(seconds, shownInterval, zone === 'UTC' ? zone : '').trim(),
    [shownInterval, zone],
  );
  const isOpen = chart.openFrom !== undefined;
  const props = {...chart, label: 'Conversion', zone, clock: shownInterval === 'hour', moment, say: sayShare};
  return (
    <>
      <Card
        span={12}
        title="Over time"
        note={`share that converted, by the ${shownInterval} of entry${isOpen ? ', dashed: some may still convert' : ''}${shown === undefined || isLimited ? '' : ' so far, as there is no window'}`}
        tools={
          answer !== undefined && (
            <ReportTools
              paths={[report!.path]}
              csv={{
                file: 'funnel-over-time',
                rows: () => [
                  ['date', 'count', 'converted', 'conversion_rate'],
                  ...answer.data!.map((one) => [one.date, one.count, one.converted, one.conversion_rate]),
                ],
              }}
              table={{isTable, onChange: setTable}}
            />
          )
        }
      >
        <ReportBody asking={asking} reports={shown?.reports ?? []} lines={6}>
          {() =>
            isTable ? (
              <OverTime data={answer!.data!} openFrom={chart.openFrom} moment={moment} zone={zone} />
            ) : (
              <TimeChart {...props} height={230} labels={false} format={shareText} openText="so far" />
            )
          }
        </ReportBody>
      </Card>
      <Card span={12} title="How long it took" note="users by the time since the step before">
        <ReportBody asking={asking} reports={shown?.reports ?? []} lines={6}>
          {() => <Times answer={answer!} names={shown!.question.names} />}
        </ReportBody>
      </Card>
    </>
  );
}

const sayShare = (share: number): string => percent(share);

function OverTime({
  data,
  openFrom,
  moment,
  zone,
}: {
  readonly data: NonNullable<WalkedFunnelAnswer['data']>;
  readonly openFrom: number | undefined;
  readonly moment: (seconds: number) => string;
  readonly zone: string;
}) {
  return (
    <TableFrame label="Conversion, as a table">
      <table class="grid-table">
        <thead>
          <tr>
            <th>Time ({zone})</th>
            <th class="number">Entered</th>
            <th class="number">Converted</th>
            <th class="number">Conversion</th>
          </tr>
        </thead>
        <tbody>
          {data.map((one, at) => (
            <tr key={one.date}>
              <td>
                {moment(secondsOf(one.date))}
                {openFrom !== undefined && at >= openFrom && <span class="faint"> so far</span>}
              </td>
              <td class="number">{count(one.count)}</td>
              <td class="number">{count(one.converted)}</td>
              <td class="number">{one.count === 0 ? '–' : percent(one.conversion_rate)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function Times({answer, names}: {readonly answer: WalkedFunnelAnswer; readonly names: readonly string[] | undefined}) {
  const [chosen, setChosen] = useState(1);
  const at = Math.min(chosen, answer.steps.length - 1);
  const step = answer.steps[at]!;
  const bars = step.histogram ?? [];
  const most = Math.max(1, ...bars.map((bar) => bar.count));
  const below = sharesBelow(bars);
  const nameOf = (index: number): string => names?.[index] ?? `${index + 1} of them`;
  return (
    <div class="funnel-times">
      <label class="times-step">
        <span class="help">Step</span>
        <select value={String(at)} onChange={({currentTarget}) => setChosen(Number(currentTarget.value))}>
          {answer.steps.slice(1).map((_, index) => (
            <option key={index} value={String(index + 1)}>
              {nameOf(index)} to {nameOf(index + 1)}
            </option>
          ))}
        </select>
      </label>
      {bars.length === 0 ? (
        <p class="help">Nobody got to this step.</p>
      ) : (
        <>
          <p class="help">
            Median {duration(step.median_seconds ?? 0)}, mean {duration(step.mean_seconds ?? 0)}. 75 % took at most{' '}
            {duration(step.p75_seconds ?? 0)}, 90 % {duration(step.p90_seconds ?? 0)}, 95 %{' '}
            {duration(step.p95_seconds ?? 0)}.
          </p>
          <p class="times-head help" aria-hidden="true">
            <span>Users</span>
            <span>Up to here</span>
          </p>
          <ol class="times-bars">
            {bars.map((bar, index) => (
              <li key={bar.seconds_from}>
                <span>{spanText(bar)}</span>
                <span class="times-bar" aria-hidden="true">
                  <span style={{'--now': `${((100 * bar.count) / most).toFixed(1)}%`}} />
                </span>
                <span class="number">{count(bar.count)}</span>
                <span class="number faint" title={`took less than ${duration(bar.seconds_to)}`}>
                  {percent(below[index]!)}
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

const spanText = ({seconds_from, seconds_to}: {readonly seconds_from: number; readonly seconds_to: number}): string =>
  seconds_from === 0 ? `below ${duration(seconds_to)}` : `${duration(seconds_from)} – ${duration(seconds_to)}`;
