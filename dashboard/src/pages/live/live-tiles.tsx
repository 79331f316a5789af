// The four numbers that say whether it keeps up.
import {clockText} from '../../charts/format';
import {Sparkline} from '../../charts/sparkline';
import type {Load} from '../../service/load';
import {type Minutes, meanOf, newest, type Points, summed} from './points';
import {msText, rateText, secondsText} from './units';

type Value = number | null;

const sparkPointsMax = 36;

/** Text of a value; an unknown one is a dash, never zero. */
const orNone = (value: Value, say: (value: number) => string): string => (value === null ? '–' : say(value));

/** The newest row, not the newest point: the page is of this second. */
const last = ({rows}: Load, column: string): Value => newest(rows.columns[column] ?? [0]);

export function LiveTiles({
  load,
  points,
  minutes,
}: {
  readonly load: Load;
  readonly points: Points;
  readonly minutes: Minutes;
}) {
  const accepted = summed(points.of('batch'), points.of('single'));
  const acceptedNow = newest(summed([last(load, 'batch')], [last(load, 'single')]));
  const p99 = points.of('ack_p99_ms');
  const behind = points.of('behind_ms');
  return (
    <div class="row">
      <section class="card tile span-3" aria-label="Events accepted">
        <span class="label">Events accepted</span>
        <span class="figure">
          {orNone(acceptedNow, rateText)}
          <small>a second</small>
        </span>
        <span class="change">
          mean of {minutes} min {orNone(meanOf(accepted), rateText)}
        </span>
        <Sparkline values={thinned(accepted)} tone={1} />
      </section>
      <section class="card tile span-3" aria-label="On disk within, p99">
        <span class="label">On disk within, p99</span>
        <span class="figure">
          {orNone(last(load, 'ack_p99_ms'), msText)}
          {last(load, 'ack_p99_ms') !== null && <small>ms</small>}
        </span>
        <span class="change">
          {last(load, 'ack_p99_ms') === null
            ? `nothing came; worst ${orNone(worst(p99)?.value ?? null, msText)}`
            : `p50 ${orNone(last(load, 'ack_p50_ms'), msText)} · p99.9 ${orNone(last(load, 'ack_p999_ms'), msText)}`}
        </span>
        <Sparkline values={thinned(p99)} tone={3} />
      </section>
      <RefusedTile load={load} points={points} minutes={minutes} />
      <section class="card tile span-3" aria-label="Furthest behind">
        <span class="label">
          Furthest behind <Furthest load={load} />
        </span>
        <span class="figure">
          {orNone(last(load, 'behind_ms'), secondsText)}
          <small>s</small>
        </span>
        <span class="change">{worstText(behind, points.times)}</span>
        <Sparkline values={thinned(behind)} tone={2} />
      </section>
    </div>
  );
}

/** A small line shows this number of points, each the mean of its neighbours. */
function thinned(values: readonly Value[]): Value[] {
  const size = Math.ceil(values.length / sparkPointsMax);
  return Array.from({length: Math.ceil(values.length / size) || 0}, (_, at) =>
    meanOf(values.slice(at * size, (at + 1) * size)),
  );
}

function worst(values: readonly Value[]): {readonly at: number; readonly value: number} | undefined {
  return values
    .flatMap((value, at) => (value === null ? [] : [{at, value}]))
    .reduce<{at: number; value: number} | undefined>(
      (most, one) => (most === undefined || one.value > most.value ? one : most),
      undefined,
    );
}

function worstText(values: readonly Value[], times: readonly number[]): string {
  const most = worst(values);
  return most === undefined ? 'not known' : `worst ${secondsText(most.value)} s at ${clockText(times[most.at]!)}`;
}

function Furthest({load}: {readonly load: Load}) {
  const {partitions} = load.state;
  const known = partitions.filter(({behind_ms}) => behind_ms !== null);
  const silent = partitions.filter(({behind_ms}) => behind_ms === null);
  if (silent.length > 0) return <span class="pill bad">{silent.length} silent</span>;
  const most = known.reduce((a, b) => (b.behind_ms! > a.behind_ms! ? b : a));
  return most.behind_ms! < 1_000 ? null : <span class="pill warn">partition {most.partition}</span>;
}

function RefusedTile({
  load,
  points,
  minutes,
}: {
  readonly load: Load;
  readonly points: Points;
  readonly minutes: Minutes;
}) {
  const columns = Object.keys(load.rows.columns).filter((name) => name.startsWith('refused.'));
  const now = columns.map((name) => ({code: name.slice('refused.'.length), rate: last(load, name) ?? 0}));
  const values = columns.map((name) => points.of(name));
  const all = values.length === 0 ? points.times.map(() => 0) : summed(...values);
  const byCode = columns
    .map((name, at) => ({code: name.slice('refused.'.length), rate: meanOf(values[at]!) ?? 0}))
    .filter(({rate}) => rate > 0)
    .sort((a, b) => b.rate - a.rate);
  const total = now.reduce((sum, {rate}) => sum + rate, 0);
  return (
    <section class="card tile span-3" aria-label="Refused">
      <span class="label">Refused</span>
      <span class="figure">
        {rateText(total)}
        <small>a second</small>
      </span>
      <span class="change" title={byCode.map(({code, rate}) => `${rate.toFixed(2)} ${code}`).join('\n')}>
        {byCode.length === 0
          ? `none in ${minutes} min`
          : byCode
              .slice(0, 2)
              .map(({code, rate}) => `${rate.toFixed(rate < 0.1 ? 2 : 1)} ${code}`)
              .join(' · ')}
      </span>
      <Sparkline values={thinned(all)} tone={2} />
    </section>
  );
}
