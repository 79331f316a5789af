// The lines of Live load: one crosshair over all of them, and a table behind each.
import {useState} from 'preact/hooks';
import {type Series, TimeChart} from '../../charts/time-chart';
import {TimeTable} from '../../charts/time-table';
import type {Load} from '../../service/load';
import {Card} from '../../shell/card';
import {Icon} from '../../shell/icon';
import {type Points, scaled, summed} from './points';
import {bytesText, msText, rateText, secondsText} from './units';

interface ChartCardProps {
  readonly span: 4 | 6;
  readonly title: string;
  readonly note: string;
  readonly points: Points;
  readonly series: readonly Series[];
  readonly say: (value: number) => string;
  readonly unit?: string;
  readonly scale?: 'linear' | 'log';
  readonly bound?: {readonly value: number; readonly text: string};
  readonly axis?: (value: number) => string;
}

function ChartCard({span, title, note, points, series, say, unit = '', scale, bound, axis}: ChartCardProps) {
  const [isTable, setTable] = useState(false);
  const {times} = points;
  return (
    <Card
      span={span}
      title={title}
      note={note}
      tools={
        <button
          type="button"
          class="quiet"
          aria-pressed={isTable}
          aria-label={`${title} as a table`}
          onClick={() => setTable(!isTable)}
        >
          <Icon name="table" />
        </button>
      }
    >
      {isTable ? (
        <TimeTable label={title} times={times} series={series} clock say={say} />
      ) : (
        <TimeChart
          label={title}
          times={times}
          series={series}
          clock
          syncKey="live"
          height={span === 6 ? 196 : 168}
          say={say}
          unit={unit}
          bound={bound}
          {...(scale === undefined ? {} : {scale})}
          {...(axis === undefined ? {} : {format: axis})}
        />
      )}
    </Card>
  );
}

const ms = (value: number): string => (value >= 1 ? String(Math.round(value)) : value.toFixed(1));
const plainSeconds = (value: number): string => String(Math.round(value * 1_000) / 1_000);
const sayS = (value: number): string => secondsText(value * 1_000);
const cores = (value: number): string => value.toFixed(2);

/** Makes a series of a column, in its own unit times `by`. */
const seriesOf =
  (points: Points) =>
  (label: string, tone: number, column: string, by = 1): Series => ({
    label,
    tone,
    values: by === 1 ? points.of(column) : scaled(points.of(column), by),
  });

export function LiveCharts({load, points}: {readonly load: Load; readonly points: Points}) {
  const of = seriesOf(points);
  const {state} = load;
  return (
    <>
      <div class="row">
        <ChartCard
          points={points}
          span={6}
          title="Taken, by route"
          note={state.is_whole ? 'a second' : 'a second, by this edge alone'}
          say={rateText}
          series={[of('batch', 1, 'batch'), of('single', 3, 'single'), of('identify', 2, 'identify')]}
        />
        <ChartCard
          points={points}
          span={6}
          title="Time to disk"
          note="ms, from the first event of a log message, logarithmic"
          say={msText}
          unit=" ms"
          scale="log"
          axis={ms}
          series={[of('p99.9', 4, 'ack_p999_ms'), of('p99', 3, 'ack_p99_ms'), of('p50', 1, 'ack_p50_ms')]}
        />
        <ChartCard
          points={points}
          span={4}
          title="Accepted and counted"
          note="a second"
          say={rateText}
          series={[
            {
              label: 'accepted',
              tone: 1,
              values: summed(points.of('batch'), points.of('single'), points.of('identify')),
            },
            of('counted', 2, 'folded'),
          ]}
        />
        <ChartCard
          points={points}
          span={4}
          title="Behind the log"
          note="s, worst partition"
          say={sayS}
          unit=" s"
          axis={plainSeconds}
          series={[of('behind', 2, 'behind_ms', 0.001)]}
        />
        <ChartCard
          points={points}
          span={4}
          title="Age of reports"
          note="s"
          say={plainSeconds}
          unit=" s"
          axis={plainSeconds}
          bound={{value: state.report.refresh_seconds, text: `promised, ${state.report.refresh_seconds} s`}}
          series={[of('age', 6, 'report_age_ms', 0.001)]}
        />
      </div>
      <details class="more-charts">
        <summary>Threads, bytes in flight, disk and processors</summary>
        <MoreCharts points={points} />
      </details>
    </>
  );
}

function MoreCharts({points}: {readonly points: Points}) {
  const of = seriesOf(points);
  return (
    <div class="row">
      <ChartCard
        points={points}
        span={6}
        title="Late timers"
        note="ms, p99 of the last 30 to 60 s, by thread"
        say={msText}
        unit=" ms"
        series={[of('edge', 1, 'late_edge_ms'), of('others', 2, 'late_others_ms')]}
      />
      <ChartCard
        points={points}
        span={6}
        title="Bytes in flight"
        note="what waits"
        say={bytesText}
        axis={bytesText}
        series={[
          of('log', 1, 'log_bytes'),
          of('fold', 2, 'fold_bytes'),
          of('bodies', 3, 'body_bytes'),
          of('intake', 4, 'intake_bytes'),
          of('answers', 5, 'answer_bytes'),
        ]}
      />
      <ChartCard
        points={points}
        span={4}
        title="Snapshots"
        note="ms, the slowest of the newest ones"
        say={msText}
        unit=" ms"
        series={[of('duration', 1, 'snapshot_ms')]}
      />
      <ChartCard
        points={points}
        span={4}
        title="Free disk"
        note=""
        say={bytesText}
        axis={bytesText}
        series={[of('free', 1, 'disk_free_bytes')]}
      />
      <ChartCard
        points={points}
        span={4}
        title="Processors"
        note="cores, by process"
        say={cores}
        series={[of('service', 1, 'cpu_service'), of('nats-server', 2, 'cpu_nats')]}
      />
    </div>
  );
}
