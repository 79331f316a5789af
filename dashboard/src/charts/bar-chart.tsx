// Stacked bars, or areas, above and below a line at zero: crosshair, tooltip, names at the end, keyboard. As time-chart.tsx is for lines.
//   BC1. A bar that is not over is drawn lighter with a dashed edge, and named as open.
//   BC2. Arrow keys reach each bar and have it read out; a table has all numbers.
//   BC3. A click means the segment under it.
import {useSignal} from '@preact/signals';
import {useEffect, useMemo, useRef} from 'preact/hooks';
import {areasOf, type BarSeries, edgesOf, stacksOf} from './bars';
import {labelHeight, placeLabels} from './end-labels';
import {count, short} from './format';
import {TimeTip, type Tip, tipText} from './time-tip';
import './bar-chart.css';

interface BarChartProps {
  readonly label: string;
  readonly bars: number;
  readonly series: readonly BarSeries[];
  /** Index of the first bar that is not over. BC1 */
  readonly openFrom?: number | undefined;
  readonly openText?: string;
  /** Short text of a bar, below it, and its text in full. */
  readonly tick: (at: number) => string;
  readonly moment: (at: number) => string;
  readonly height?: number;
  /** Areas from bar to bar. */
  readonly areAreas?: boolean;
  /** The tooltip has the sum of the series. */
  readonly hasSum?: boolean;
  /** The segment of the bar and the series with these indexes was clicked. BC3 */
  readonly onNumber?: (at: number, index: number) => void;
}

const pad = {top: 10, bottom: 26, left: 56};
const endWidth = 104;
/** Room of a text below a bar. */
const tickWidth = 62;
/** A segment below this has no edge of its own, which would cover it. */
const edgedHeightMin = 3;

export function BarChart(props: BarChartProps) {
  const {label, bars, series, openFrom, openText = 'so far', tick, moment, height = 280} = props;
  const {areAreas = false, hasSum = false, onNumber} = props;
  const plot = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  const at = useSignal<number | undefined>(undefined);
  const tip = useSignal<Tip | undefined>(undefined);
  const spoken = useSignal('');
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => (width.value = entry!.contentRect.width));
    watch.observe(plot.current!);
    return () => watch.disconnect();
  }, []);
  const {bars: stacks, ticks} = useMemo(() => stacksOf(series, bars), [series, bars]);
  const edges = useMemo(() => edgesOf(series, bars), [series, bars]);
  const hasEnds = series.length > 1;
  const room = Math.max(0, width.value - pad.left - (hasEnds ? endWidth : 8));
  const [bottom, top] = [ticks[0]!, ticks.at(-1)!];
  const y = (value: number): number =>
    height - pad.bottom - ((value - bottom) / (top - bottom)) * (height - pad.top - pad.bottom);
  const slot = room / Math.max(1, bars);
  const barWidth = Math.max(1, Math.min(slot * 0.76, 56));
  const x = (bar: number): number => pad.left + slot * (bar + 0.5);
  const everyNth = Math.max(1, Math.ceil(tickWidth / Math.max(1, slot)));

  const lineAt = (value: number) => ({
    x1: pad.left,
    x2: pad.left + room,
    y1: Math.round(y(value)) + 0.5,
    y2: Math.round(y(value)) + 0.5,
  });

  const show = (bar: number | undefined): void => {
    at.value = bar;
    if (bar === undefined) {
      tip.value = undefined;
      return;
    }
    const isRight = x(bar) > width.value / 2;
    tip.value = {
      when: openFrom !== undefined && bar >= openFrom ? `${moment(bar)}, ${openText}` : moment(bar),
      rows: [
        ...series.map(({label: name, tone, values}) => ({
          label: name,
          tone,
          value: count(values[bar] ?? 0),
          change: '',
        })),
        ...(hasSum
          ? [
              {
                label: 'Total',
                tone: 0,
                value: count(series.reduce((all, {values}) => all + (values[bar] ?? 0), 0)),
                change: '',
              },
            ]
          : []),
      ],
      side: isRight ? 'right' : 'left',
      distance: isRight ? width.value - x(bar) + slot / 2 + 6 : x(bar) + slot / 2 + 6,
    };
  };
  const move = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') show(undefined);
    const step = {ArrowLeft: -1, ArrowRight: 1, PageUp: -7, PageDown: 7, Home: -Infinity, End: Infinity}[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || bars === 0) return;
    event.preventDefault();
    show(Math.min(bars - 1, Math.max(0, (at.value ?? bars) + step)));
    spoken.value = tip.value === undefined ? '' : tipText(tip.value);
  };
  const barAt = ({clientX}: MouseEvent): number | undefined => {
    const bar = Math.floor((clientX - plot.current!.getBoundingClientRect().left - pad.left) / slot);
    return bar >= 0 && bar < bars ? bar : undefined;
  };
  /** BC3 */
  const choose = (click: MouseEvent): void => {
    const bar = barAt(click);
    const up = click.clientY - plot.current!.getBoundingClientRect().top;
    const segment = stacks[bar ?? -1]?.find(({from, to}) => (y(from) - up) * (y(to) - up) <= 0);
    if (segment !== undefined) onNumber?.(bar!, segment.series);
  };
  const ends = hasEnds
    ? placeLabels(
        series.map(({label: name, tone, isBelow = false}, index) => {
          const {from, to} = edges[index]!.at(-1) ?? {from: 0, to: 0};
          const middle = isBelow && from === to ? bottom / 2 : (from + to) / 2;
          return {label: name, tone, y: y(middle)};
        }),
        height - pad.bottom + 12,
      )
    : [];
  return (
    <figure class="chart" aria-label={`${label}. ${bars} bars. The table has their numbers.`}>
      <section
        class="plot"
        ref={plot}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys go from bar to bar (BC2)
        tabIndex={0}
        aria-roledescription="chart"
        aria-label={`${label}: arrow keys read the values`}
        onKeyDown={move}
        onPointerMove={(event) => show(barAt(event))}
        onClick={choose}
        onPointerLeave={() => show(undefined)}
        onBlur={() => show(undefined)}
      >
        <svg class="bar-chart" width={width.value} height={height} aria-hidden="true">
          {ticks.map((value) => (
            <g key={value}>
              {value !== 0 && <line class="grid" {...lineAt(value)} />}
              <text x={pad.left - 8} y={y(value) + 4} text-anchor="end">
                {short(Math.abs(value))}
              </text>
            </g>
          ))}
          {areAreas &&
            series.map(({tone}, index) =>
              areasOf(edges[index]!, openFrom).map(({points, isOpen}) => (
                <polygon
                  key={`${index} ${isOpen}`}
                  class={`tone-${tone} ${isOpen ? 'open' : ''}`}
                  points={points.map(([bar, value]) => `${x(bar)},${y(value)}`).join(' ')}
                />
              )),
            )}
          {stacks.map((segments, bar) => (
            <g key={bar} class={`${openFrom !== undefined && bar >= openFrom ? 'open' : ''} ${barLook(bar, at.value)}`}>
              {areAreas && bar === at.value && (
                <line class="upright" x1={x(bar)} x2={x(bar)} y1={pad.top} y2={height - pad.bottom} />
              )}
              {(areAreas ? [] : segments).map(({series: index, from, to}) => {
                const segmentHeight = Math.max(1, Math.abs(y(to) - y(from)));
                return (
                  <rect
                    key={index}
                    class={`tone-${series[index]!.tone} ${segmentHeight < edgedHeightMin ? 'thin' : ''}`}
                    x={x(bar) - barWidth / 2}
                    width={barWidth}
                    y={Math.min(y(from), y(to))}
                    height={segmentHeight}
                  />
                );
              })}
              {bar % everyNth === 0 && (
                <text x={x(bar)} y={height - 6} text-anchor="middle">
                  {tick(bar)}
                </text>
              )}
            </g>
          ))}
          <line class="zero" {...lineAt(0)} />
          {ends.map(({label: name, tone, y: labelTop}) => (
            <text
              key={name}
              class={`end tone-${tone}`}
              x={width.value - endWidth + 10}
              y={labelTop + labelHeight / 2 + 4}
            >
              {name}
            </text>
          ))}
        </svg>
      </section>
      <TimeTip tip={tip} />
      <div class="visually-hidden" role="status">
        {spoken}
      </div>
    </figure>
  );
}

const barLook = (bar: number, at: number | undefined): string => (at === undefined || at === bar ? '' : 'aside');
