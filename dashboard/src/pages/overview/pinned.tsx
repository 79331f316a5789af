// Reports that were pinned to Overview: each over the days of Overview, with its place in their order.
import type {FunnelAnswer} from '../../../../src/edge/answers.js';
import {pageAddress} from '../../address/base';
import {addressAsking, readAddress} from '../../address/codec';
import {pageOfPin, pinForms} from '../../address/pins';
import type {Days, Interval, Past, Range} from '../../address/range';
import {countsPath, funnelForm, funnelPath, seriesLabel, seriesOf, trendsForm} from '../../address/report-address';
import {percent} from '../../charts/format';
import {Funnel} from '../../charts/funnel';
import {funnelRows, funnelTitle, windowNote} from '../../charts/funnel-words';
import type {Reorder} from '../../controls/reorder';
import {movePin, pins, togglePin} from '../../service/pins';
import {useReports} from '../../service/reports';
import {Card} from '../../shell/card';
import {Icon} from '../../shell/icon';
import {CsvButton, CurlButton} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import {TrendCard} from './trend-card';

export interface PinnedProps {
  readonly pin: string;
  readonly range: Range;
  readonly days: Days;
  readonly interval: Interval;
  readonly past: Past | undefined;
  readonly reorder: Reorder;
  readonly onRange: (from: number, to: number) => void;
}

export function Pinned(props: PinnedProps) {
  return pageOfPin(props.pin) === '/funnels' ? <PinnedFunnel {...props} /> : <PinnedTrend {...props} />;
}

const searchOf = (pin: string): string => pin.slice(pageOfPin(pin)!.length);

function PinnedFunnel({pin, range, days, reorder}: PinnedProps) {
  const {step: steps, window} = readAddress(pinForms['/funnels'], searchOf(pin)).question;
  const path = funnelPath(steps, window, days);
  const asking = useReports(undefined, [path]);
  const answer = asking.shown?.reports[0]?.value as FunnelAnswer | undefined;
  const title = funnelTitle({steps: steps.map((event) => ({event})) as FunnelAnswer['steps']});
  const address = pageAddress('/funnels') + addressAsking(funnelForm, {step: steps, window, range});
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
      <ReportBody asking={asking} reports={asking.shown?.reports ?? []} lines={8}>
        {() => <Funnel steps={answer!.steps} />}
      </ReportBody>
    </Card>
  );
}

function PinnedTrend({pin, range, days, interval, past, reorder, onRange}: PinnedProps) {
  const absent = readAddress(trendsForm, '').question;
  const series = seriesOf({...absent, ...readAddress(pinForms['/trends'], searchOf(pin)).question});
  const lines = series.map((one) => ({
    event: seriesLabel(one),
    path: countsPath(one, days, interval),
    pastPath: past && countsPath(one, past, interval),
  }));
  const paths = lines.flatMap(({path, pastPath}) => (pastPath === undefined ? [path] : [path, pastPath]));
  const trend = useReports({days, interval, past, lines}, paths);
  const title = lines.map(({event}) => event).join(', ');
  const address = pageAddress('/trends') + searchOf(pin) + addressAsking(trendsForm, {range}).replace('?', '&');
  return (
    <TrendCard
      span={12}
      title={title}
      address={address}
      file="trend"
      trend={trend}
      tools={<PinTools pin={pin} title={title} reorder={reorder} />}
      onRange={onRange}
    />
  );
}

function PinTools({pin, title, reorder}: {readonly pin: string; readonly title: string; readonly reorder: Reorder}) {
  const at = pins.value.indexOf(pin);
  return (
    <>
      {pins.value.length > 1 && (
        <>
          <button
            type="button"
            class="quiet handle"
            {...reorder.handle(at)}
            disabled={at === 0}
            aria-label={`Move ${title} forward`}
            title="Move forward, or drag it"
            onClick={() => movePin(pin, at - 1)}
          >
            <Icon name="chevronUp" />
          </button>
          <button
            type="button"
            class="quiet handle"
            {...reorder.handle(at)}
            disabled={at === pins.value.length - 1}
            aria-label={`Move ${title} back`}
            title="Move back, or drag it"
            onClick={() => movePin(pin, at + 1)}
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
    </>
  );
}
