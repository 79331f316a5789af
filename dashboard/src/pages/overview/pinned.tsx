// Reports that were pinned to Overview: each over the days of Overview, with its place in their order.
import {useRef, useState} from 'preact/hooks';
import type {CountsAnswer} from '../../../../src/edge/answers/counts.js';
import type {FunnelAnswer} from '../../../../src/edge/answers/funnels.js';
import {pageAddress} from '../../address/base';
import {type Problem, readAddress, writeAddress} from '../../address/codec';
import {funnelForm, funnelPath, stepLabel, stepsOf} from '../../address/funnel-address';
import {pageOfPin} from '../../address/pin-list';
import type {Days, Interval, Past, Range} from '../../address/range';
import {
  type AskedSeries,
  areCounts,
  divisorIn,
  labelsOf,
  seriesOf,
  seriesPath,
  trendsForm,
} from '../../address/trends-address';
import {type DividedLine, dividedBy, isQuotient, quotientText} from '../../charts/divided';
import {datesText, percent} from '../../charts/format';
import {Funnel} from '../../charts/funnel';
import {funnelRows, funnelTitle, windowNote} from '../../charts/funnel-words';
import {drawnOf, linesOf, type SeriesLine} from '../../charts/series-lines';
import type {Reorder} from '../../controls/reorder';
import {pins} from '../../service/board';
import {movePin, togglePin} from '../../service/board-changes';
import {type Shown, useReports} from '../../service/reports';
import {may} from '../../service/session';
import {Card} from '../../shell/card';
import {explaining} from '../../shell/explained';
import {Icon} from '../../shell/icon';
import {CsvButton, CurlButton} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import {today} from '../../shell/today';
import {TrendCard, type TrendQuestion} from './trend-card';

type PinReorder = Reorder<string>;

export interface PinnedProps {
  readonly pin: string;
  readonly range: Range;
  readonly days: Days;
  readonly interval: Interval;
  readonly past: Past | undefined;
  readonly reorder: PinReorder;
  readonly onRange: (from: number, to: number) => void;
}

export function Pinned(props: PinnedProps) {
  return pageOfPin(props.pin) === '/funnels' ? <PinnedFunnel {...props} /> : <PinnedTrend {...props} />;
}

const searchOf = (pin: string): string => pin.slice(pageOfPin(pin)!.length);

function PinnedFunnel({pin, range, days, reorder}: PinnedProps) {
  const asked = readAddress(funnelForm, searchOf(pin));
  const {step: steps, window} = asked.question;
  const path = funnelPath(asked.question, days);
  const asking = useReports(undefined, [path]);
  const answer = asking.shown?.reports[0]?.value as FunnelAnswer | undefined;
  const title = funnelTitle(steps);
  const address = pageAddress('/funnels') + writeAddress(funnelForm, {...asked.question, range});
  return (
    <Card
      span={12}
      title={title}
      note={<a href={address}>{windowNote(window)}</a>}
      sum={
        answer !== undefined && (
          <>
            <b>{percent(answer.conversion_rate)}</b> convert
          </>
        )
      }
      tools={
        <>
          {answer !== undefined && (
            <>
              <CurlButton paths={[path]} />
              <CsvButton file="funnel" rows={() => funnelRows(answer)} />
            </>
          )}
          <PinTools pin={pin} title={title} reorder={reorder} />
        </>
      }
    >
      <Lost problems={asked.problems} />
      <ReportBody asking={asking} reports={asking.shown?.reports ?? []} lines={8}>
        {() => (
          <Funnel
            steps={answer!.steps}
            {...(asked.question.order !== 'any' && {names: stepsOf(asked.question).map(stepLabel)})}
            onWho={(step, outcome) => {
              const one = answer!.steps[step - 1]!;
              const value = outcome === 'reached' ? one.count : one.drop_off;
              const when = datesText(days, today.peek());
              const {freshness} = asking.shown!;
              explaining.value = ({funnelBehind}) => {
                return funnelBehind({question: asked.question, span: days, step, outcome, value, when, freshness});
              };
            }}
          />
        )}
      </ReportBody>
    </Card>
  );
}

function PinnedTrend({pin, range, days, interval, past, reorder, onRange}: PinnedProps) {
  const asked = readAddress(trendsForm, searchOf(pin));
  const series = seriesOf(asked.question);
  const labels = labelsOf(series);
  const divisor = divisorIn(asked.question, series);
  const lines = series.map((one, at) => ({
    event: labels[at]!,
    path: seriesPath(one, asked.question, days, interval),
    pastPath: past && seriesPath(one, asked.question, past, interval),
  }));
  const paths = lines.flatMap(({path, pastPath}) => (pastPath === undefined ? [path] : [path, pastPath]));
  const trend = useReports({days, interval, past, lines}, paths);
  const quotients = (trend.shown === undefined ? [] : measuredLines(trend.shown, series, divisor)).filter(isQuotient);
  const say = divisor === undefined ? undefined : quotientText(quotients, areCounts(...series));
  const title =
    divisor === undefined
      ? labels.join(', ')
      : `${labels.filter((_, at) => at !== divisor).join(', ')} / ${labels[divisor]}`;
  const address = pageAddress('/trends') + writeAddress(trendsForm, {...asked.question, range});
  return (
    <TrendCard
      span={12}
      linesOf={(shown) => measuredLines(shown, series, divisor)}
      say={say}
      behind={({quotientBehind, trendBehind}, drawn, _, value, {at, text}, shown) => {
        const line = drawn as SeriesLine | DividedLine;
        const {freshness, question} = shown;
        const when = `${text} (UTC)`;
        if (isQuotient(line)) return quotientBehind({...line, parts: undefined}, say!(value), when, freshness);
        const one = series[line.series]!;
        return trendBehind({
          value,
          series: one,
          measure: one.measure,
          common: asked.question,
          row: line.row,
          answer: shown.of<CountsAnswer>(question.lines[line.series]!.path).value,
          days: question.days,
          bucket: {dates: line.answer.data.map(({date}) => date), at, interval: question.interval},
          when,
          freshness,
        });
      }}
      before={<Lost problems={asked.problems} />}
      title={title}
      address={address}
      file="trend"
      trend={trend}
      tools={<PinTools pin={pin} title={title} reorder={reorder} />}
      onRange={onRange}
    />
  );
}

function measuredLines(
  {question, of}: Shown<TrendQuestion>,
  series: readonly AskedSeries[],
  divisor: number | undefined,
): readonly (SeriesLine | DividedLine)[] {
  const answered = question.lines.map(({event, path, pastPath}, at) => {
    const {value, headers} = of<CountsAnswer>(path);
    const past = pastPath === undefined ? undefined : of<CountsAnswer>(pastPath).value;
    return value && {label: event, measure: series[at]!.measure, answer: value, headers, past};
  });
  const lines = linesOf(answered);
  return drawnOf(divisor === undefined ? lines : dividedBy(lines, divisor));
}

/** Parts of a pin that an earlier version of the pages wrote. */
function Lost({problems}: {readonly problems: readonly Problem[]}) {
  if (problems.length === 0) return null;
  return (
    <p class="not-renewed" role="status">
      <Icon name="warning" />
      Not part of this any more: {problems.map(({name, text}) => `${name}=${text}`).join(', ')}. Pin the report again.
    </p>
  );
}

/** Moves the pin or takes it off: for who may change the board. */
function PinTools({pin, title, reorder}: {readonly pin: string; readonly title: string; readonly reorder: PinReorder}) {
  const [said, setSaid] = useState('');
  const tools = useRef<HTMLSpanElement>(null);
  const at = pins.value.indexOf(pin);
  const last = pins.value.length - 1;
  if (!may('analyst')) return null;
  const move = (by: -1 | 1): void => {
    const to = at + by;
    if (to < 0 || to > last) return;
    movePin(pin, to);
    setSaid(`${title} is number ${to + 1} of ${last + 1} now`);
    // The card moves, and the focus stays with it.
    requestAnimationFrame(() => {
      const [forward, back] = tools.current!.querySelectorAll<HTMLButtonElement>('.handle');
      (by < 0 === !forward!.disabled ? forward : back)?.focus();
    });
  };
  const handle = {
    ...reorder.handle(pin),
    onKeyDown: (event: KeyboardEvent) => {
      const by = ({ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1} as const)[event.key as 'ArrowUp'];
      if (!event.altKey || by === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      move(by);
    },
  };
  return (
    <span class="pin-tools" ref={tools}>
      {last > 0 && (
        <>
          <button
            type="button"
            class="quiet handle"
            {...handle}
            disabled={at === 0}
            aria-label={`Move ${title} forward`}
            title="Move forward, or drag it (Alt and arrow)"
            onClick={() => move(-1)}
          >
            <Icon name="chevronUp" />
          </button>
          <button
            type="button"
            class="quiet handle"
            {...handle}
            disabled={at === last}
            aria-label={`Move ${title} back`}
            title="Move back, or drag it (Alt and arrow)"
            onClick={() => move(1)}
          >
            <Icon name="chevronDown" />
          </button>
        </>
      )}
      <button
        type="button"
        class="quiet"
        aria-label={`Take ${title} off Overview`}
        title="Take it off Overview"
        onClick={() => togglePin(pin)}
      >
        <Icon name="close" />
      </button>
      <span class="visually-hidden" role="status">
        {said}
      </span>
    </span>
  );
}
