// Lines over time. Owns: drawing, crosshair, tooltip, names at the ends, keyboard. Does not own: data, range.
//   C1. An open bucket is dashed, on a ground of its own, and is named as open.
//   C2. A series is named at its end (end-labels.tsx), and not in a legend.
//   C3. Arrow keys reach each number and have it read out; a table has all of them (time-table.tsx).
//   C4. A gap in knowledge is a gap in the line; a zero is a zero.
//   C5. Data that moves does not build the chart again: only another shape, size or theme does.
//   C6. Lines that lie on each other are all seen: a lower one is wider (overlap.ts).
import {useSignal} from '@preact/signals';
import {useEffect, useRef} from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './chart.css';
import {dayOfMs, type Range} from '../address/range';
import type {ChartMark} from './annotated';
import {EndLabels, type Ends, placeLabels} from './end-labels';
import {clockText, count, dayText, longDayText, monthText, short} from './format';
import type {Flag} from './mark-drawing';
import {rimsOf} from './overlap';
import {colour, themeEpoch} from './theme';
import {decadesAround, isPowerOfTen, ticksAround, ticksOnBuckets} from './ticks';
import {changeText, TimeTip, type Tip, tipText} from './time-tip';

export interface Series {
  readonly label: string;
  /** 1 to 6: the palette's order. 0: faint. */
  readonly tone: number;
  /** Null: not known. C4 */
  readonly values: readonly (number | null)[];
  /** The period before, point by point. */
  readonly before?: readonly (number | null)[];
}

interface TimeChartProps {
  readonly label: string;
  /** Epoch seconds of the buckets' starts, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Index of the first bucket that is still open. C1 */
  readonly openFrom?: number | undefined;
  readonly openText?: string;
  readonly marks?: ChartMarks | undefined;
  /** A promise or a bound that lines are read against. */
  readonly bound?: {readonly value: number; readonly text: string} | undefined;
  readonly height?: number;
  readonly scale?: 'linear' | 'log';
  /** Follows values in the tooltip. */
  readonly unit?: string;
  /** Times of a day instead of days. */
  readonly clock?: boolean;
  /** Zone of the times, which are what its clocks show. */
  readonly zone?: string;
  /** Lines that lie on each other are told apart. C6 */
  readonly isApart?: boolean;
  readonly labels?: boolean;
  /** Text of a value on the axis. */
  readonly format?: (value: number) => string;
  /** The tooltip has the sum of its values, too. */
  readonly hasSum?: boolean;
  /** Text of a value in the tooltip, in full. */
  readonly say?: (value: number) => string;
  /** Text of a time in the tooltip. */
  readonly moment?: (seconds: number) => string;
  /** Text of the earlier time that a point is compared with, by the index of the point. */
  readonly beforeMoment?: ((at: number) => string) | undefined;
  /** Charts with the same key share their crosshair. */
  readonly syncKey?: string;
  /** These days were dragged over. Without it dragging does nothing. */
  readonly onRange?: ((range: Range) => void) | undefined;
  /** The crosshair stands at the bucket with this start, or nowhere. */
  readonly onCrosshair?: (seconds: number | undefined) => void;
}

/** What is drawn beside the lines: uprights at some buckets, each with words. */
export interface ChartMarks {
  readonly at: readonly ChartMark[];
  /** Draws them in the stroke that the canvas has. @returns their words */
  readonly draw: (plot: uPlot, widthOf: (text: string) => number) => readonly Flag[];
}

const endWidthMax = 138;
const dimmed = 0.22;

export function TimeChart(props: TimeChartProps) {
  const {label, times, series, openFrom, height = 250, scale = 'linear', labels = true} = props;
  const plot = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart>(undefined);
  /** Newest properties. The hooks of the chart read them, as they outlive those that it was built with. C5 */
  const latest = useRef(props);
  latest.current = props;
  const tip = useSignal<Tip | undefined>(undefined);
  const ends = useSignal<Ends | undefined>(undefined);
  const flags = useSignal<readonly Flag[]>([]);
  const kept = useSignal<string | undefined>(undefined);
  const spoken = useSignal('');
  const epoch = themeEpoch.value;
  const rims = rimsIn(props);
  const shape = series
    .map(({label: name, tone, before}, at) => `${name}/${tone}/${before !== undefined}/${rims[at]}`)
    .join('\n');

  useEffect(() => {
    const made = new Chart(plot.current!, () => latest.current, {
      onTip: (shown) => {
        // A chart without a crosshair says nothing of that of another one.
        if (shown !== undefined || tip.peek() !== undefined) latest.current.onCrosshair?.(shown?.seconds);
        tip.value = shown;
      },
      onEnds: (placed) => (ends.value = placed),
      onFlags: (placed) => (flags.value = placed),
    });
    chart.current = made;
    made.dimAllBut(kept.peek());
    return () => made.destroy();
  }, [epoch, shape, height, scale, labels, openFrom === undefined, areLong(times), times.length === 1]);

  useEffect(() => chart.current?.setData(), [times, series, openFrom, props.marks, props.bound]);

  const move = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') chart.current?.leave();
    const step = {ArrowLeft: -1, ArrowRight: 1, PageUp: -7, PageDown: 7, Home: -Infinity, End: Infinity}[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    chart.current?.move(step);
    spoken.value = tip.value === undefined ? '' : tipText(tip.value);
  };

  return (
    <figure class="chart" aria-label={`${label}. ${summaryOf(props)}`}>
      <section
        class="plot"
        ref={plot}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move its crosshair (C3)
        tabIndex={0}
        aria-roledescription="chart"
        aria-label={`${label}: arrow keys read the values`}
        onKeyDown={move}
        onPointerEnter={() => chart.current?.enter()}
        onPointerLeave={() => chart.current?.leave()}
        onBlur={() => chart.current?.leave()}
      />
      <div class="end-labels">
        {labels && (
          <EndLabels
            ends={ends}
            kept={kept}
            onPoint={(name) => chart.current?.dimAllBut(name ?? kept.value)}
            onKeep={(name) => {
              kept.value = kept.value === name ? undefined : name;
              chart.current?.dimAllBut(kept.value);
            }}
          />
        )}
        {flags.value.map(({text, left, top, width}) => (
          <span
            key={`${text} ${left}`}
            class="flag tone-faint"
            style={{left: `${left}px`, top: `${top}px`, ...(width && {maxWidth: `${width}px`})}}
          >
            {text}
          </span>
        ))}
      </div>
      <TimeTip tip={tip} />
      <div class="visually-hidden" role="status">
        {spoken}
      </div>
    </figure>
  );
}

interface ChartListener {
  readonly onTip: (tip: Tip | undefined) => void;
  readonly onEnds: (ends: Ends) => void;
  readonly onFlags: (flags: readonly Flag[]) => void;
}

/** One uPlot, as long as shape, size and theme stay. */
class Chart {
  private readonly made: uPlot;
  private readonly watch: ResizeObserver;
  /** Index of the series that each of its lines is of. */
  private readonly owners: readonly number[];
  private readonly alphas: readonly number[];
  /** The pointer or the keyboard is here, and not in another chart that shares the crosshair. */
  private isHere = false;

  constructor(
    private readonly parent: HTMLElement,
    private readonly props: () => TimeChartProps,
    private readonly listener: ChartListener,
  ) {
    const rims = rimsIn(props());
    const lines = props().series.flatMap((series, at) =>
      linesOf(series, at, props().openFrom !== undefined, rims[at]!),
    );
    this.owners = lines.map(({owner}) => owner);
    this.alphas = lines.map(({line}) => line.alpha ?? 1);
    this.made = new uPlot(this.optionsOf(lines.map(({line}) => line)), dataOf(props()), parent);
    this.watch = new ResizeObserver(() =>
      this.made.setSize({width: parent.clientWidth, height: this.props().height ?? 250}),
    );
    this.watch.observe(parent);
  }

  destroy(): void {
    this.watch.disconnect();
    this.made.destroy();
    this.listener.onTip(undefined);
  }

  setData(): void {
    this.made.setData(dataOf(this.props()));
    this.showTip();
  }

  enter(): void {
    this.isHere = true;
  }

  leave(): void {
    this.isHere = false;
    this.made.setCursor({left: -10, top: -10});
    this.listener.onTip(undefined);
  }

  /** Moves the crosshair by `step` points; without a crosshair it begins at the newest point. */
  move(step: number): void {
    const {times} = this.props();
    const last = times.length - 1;
    const from = this.made.cursor.idx != null && this.made.cursor.left! >= 0 ? this.made.cursor.idx : last + 1;
    const at = Math.min(last, Math.max(0, from + step));
    this.isHere = true;
    this.made.setCursor({left: this.made.valToPos(times[at]!, 'x'), top: 10});
    this.showTip();
  }

  dimAllBut(label: string | undefined): void {
    const kept = this.props().series.findIndex((series) => series.label === label);
    for (const [line, owner] of this.owners.entries()) {
      this.made.series[line + 1]!.alpha = this.alphas[line]! * (kept < 0 || owner === kept ? 1 : dimmed);
    }
    this.made.redraw(false);
  }

  /** A chart of counts has lines at whole numbers alone, so none at 0.2 where the largest value is 1. */
  private ticks(low: number, high: number): number[] {
    const {format, series} = this.props();
    const areCounts = !format && series.every(({values}) => values.every((value) => Number.isInteger(value ?? 0)));
    return ticksAround(low, high).filter((tick) => !areCounts || Number.isInteger(tick));
  }

  private optionsOf(lines: uPlot.Series[]): uPlot.Options {
    const {series, height = 250, scale = 'linear', clock = false, labels = true, syncKey, onRange} = this.props();
    const isLog = scale === 'log';
    const longest = Math.max(0, ...series.map(({label}) => textWidth(label)));
    const right = labels ? 14 + Math.min(endWidthMax, longest) : 14;
    const strokes = lines.map(({stroke, alpha}) => (alpha === undefined ? String(stroke) : 'transparent'));
    const grid = {stroke: colour('grid'), width: 1};
    // Whole pixels: uPlot scales a font by the integer before `px`.
    const font = `12px ${getComputedStyle(document.body).fontFamily}`;
    const axis = {stroke: colour('axis'), font, ticks: {show: false}};
    const inDecades = isLog ? {filter: powersOfTen} : {};
    return {
      width: this.parent.clientWidth,
      height,
      padding: [10, right, 0, 0],
      legend: {show: false},
      scales: {
        x: {
          range: (_, low, high) => (this.props().times.length === 1 ? [low - besideOne, low + besideOne] : [low, high]),
        },
        y: isLog
          ? {distr: 3, range: (_, low, high) => decadesAround(low, high)}
          : {
              range: (_, low, high) => {
                const ticks = ticksAround(Math.min(0, low ?? 0), Math.max(high ?? 0, this.props().bound?.value ?? 0));
                return [ticks[0]!, ticks.at(-1)!];
              },
            },
      },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
      axes: [
        {
          ...axis,
          grid: {show: false},
          gap: 8,
          size: 28,
          space: clock ? 70 : 64,
          ...(this.props().times.length === 1 && {splits: () => [...this.props().times]}),
          ...(areLong(this.props().times) && {
            splits: (_, _axis, _from, _to, apart) => ticksOnBuckets(this.props().times, apart),
          }),
          values: (_, ticks) => ticks.map(clock ? clockTick(ticks) : dateTick(ticks)),
        },
        {
          ...axis,
          grid: {...grid, ...inDecades},
          size: (_, texts) => Math.max(46, 14 + Math.max(0, ...(texts ?? []).map(textWidth))),
          gap: 8,
          ...(isLog ? inDecades : {splits: (_: uPlot, __: number, low: number, top: number) => this.ticks(low, top)}),
          values: (_, ticks) =>
            ticks.map((value) => (value === null ? '' : (this.props().format ?? short)(Number(value.toPrecision(12))))),
        },
      ],
      cursor: {
        ...(syncKey === undefined ? {} : {sync: {key: syncKey, setSeries: false}}),
        drag: {x: onRange !== undefined, y: false, setScale: false},
        points: {size: 8, width: 2, fill: colour('surface'), stroke: (_, index) => strokes[index - 1]!},
        move: onPoint,
      },
      series: [{}, ...lines],
      hooks: {
        drawClear: [(self) => this.drawOpenGround(self)],
        draw: [
          (self) => {
            this.placeEnds(self);
            this.placeMarks(self);
          },
        ],
        setCursor: [() => this.showTip()],
        setSelect: [(self) => this.takeRange(self)],
      },
    };
  }

  private takeRange(self: uPlot): void {
    const {left, width} = self.select;
    if (width < 4) return;
    const dayAt = (x: number): number => dayOfMs(1_000 * self.posToVal(x, 'x'));
    this.props().onRange?.({kind: 'days', from: dayAt(left), to: dayAt(left + width)});
    self.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
  }

  /** C1 */
  private drawOpenGround(self: uPlot): void {
    const {times, openFrom} = this.props();
    if (openFrom === undefined || times.length === 0) return;
    const left = self.valToPos(times[Math.max(0, openFrom - 1)]!, 'x', true);
    const {top, height, width, left: edge} = self.bbox;
    self.ctx.save();
    self.ctx.fillStyle = colour('open');
    self.ctx.fillRect(left, top, edge + width - left, height);
    self.ctx.restore();
  }

  /** C2 */
  private placeEnds(self: uPlot): void {
    const ratio = devicePixelRatio;
    const {left, width, top, height} = self.bbox;
    const labels = this.props().series.flatMap(({label, tone, values}) => {
      const end = values.findLast((value) => value !== null && (this.props().scale !== 'log' || value > 0));
      return end == null ? [] : [{label, tone, y: self.valToPos(end, 'y', true) / ratio}];
    });
    this.listener.onEnds({left: (left + width) / ratio + 8, labels: placeLabels(labels, (top + height) / ratio + 6)});
  }

  private placeMarks(self: uPlot): void {
    const {marks, bound} = this.props();
    const ratio = devicePixelRatio;
    const {left, width} = self.bbox;
    const flags: Flag[] = [];
    self.ctx.save();
    self.ctx.strokeStyle = colour('faint');
    self.ctx.setLineDash([2 * ratio, 3 * ratio]);
    self.ctx.lineWidth = ratio;
    flags.push(...(marks?.draw(self, textWidth) ?? []));
    if (bound !== undefined) {
      const y = Math.round(self.valToPos(bound.value, 'y', true)) + 0.5;
      drawLine(self.ctx, left, y, left + width, y);
      flags.push({text: bound.text, left: left / ratio + 4, top: y / ratio - 17});
    }
    self.ctx.restore();
    this.listener.onFlags(flags);
  }

  private showTip(): void {
    const at = this.made.cursor.idx;
    const {
      times,
      series,
      openFrom,
      openText = 'so far',
      clock = false,
      unit = '',
      say = count,
      moment,
      beforeMoment,
      marks,
      hasSum = false,
    } = this.props();
    if (!this.isHere || at == null || this.made.cursor.left! < 0 || at >= times.length) {
      this.listener.onTip(undefined);
      return;
    }
    const momentOf = moment ?? (clock ? (seconds: number) => `${clockText(seconds)} UTC` : longDayText);
    const isOpen = openFrom !== undefined && at >= openFrom;
    const rows = series
      .map(({label, tone, values, before}) => ({label, tone, number: values[at] ?? null, past: before?.[at]}))
      .sort((a, b) => (b.number ?? -Infinity) - (a.number ?? -Infinity))
      .map(({label, tone, number, past}) => ({
        label,
        tone,
        value: number === null ? 'not known' : `${say(number)}${unit}`,
        change: isOpen ? '' : changeText(number, past),
      }));
    const sum = series.reduce((all, {values}) => all + (values[at] ?? 0), 0);
    if (hasSum && series.length > 1) rows.push({label: 'Total', tone: 0, value: `${say(sum)}${unit}`, change: ''});
    const against = beforeMoment === undefined || isOpen ? '' : ` · against ${beforeMoment(at)}`;
    const when = momentOf(times[at]!) + against;
    const left = this.made.cursor.left! + this.made.bbox.left / devicePixelRatio;
    const flips = left > this.made.width / 2;
    this.listener.onTip({
      seconds: times[at]!,
      notes: marks?.at.find(({time}) => time === times[at])?.texts ?? [],
      when: isOpen ? `${when} · ${openText}` : when,
      rows,
      side: flips ? 'right' : 'left',
      distance: flips ? this.made.width - left + 16 : left + 16,
    });
  }
}

/** The crosshair stands at a point, but for the hand that draws a range. */
const onPoint: uPlot.Cursor.MousePosRefiner = (self, left, top) => {
  const isDrawing = (self.cursor.event?.buttons ?? 0) !== 0;
  if (left < 0 || isDrawing || self.data[0].length === 0) return [left, top];
  return [self.valToPos(self.data[0][self.posToIdx(left)]!, 'x'), top];
};

/** C6 */
const rimsIn = ({series, isApart = false}: TimeChartProps): number[] =>
  isApart ? rimsOf(series.map(({values}) => values)) : series.map(() => 0);

function drawLine(context: CanvasRenderingContext2D, x: number, y: number, toX: number, toY: number): void {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(toX, toY);
  context.stroke();
}

/** Lines of a series: closed buckets, open ones, the period before, in the order of `dataOf`. */
function linesOf(
  {label, tone, before}: Series,
  owner: number,
  isOpen: boolean,
  rim: number,
): {owner: number; line: uPlot.Series}[] {
  const stroke = colour(tone === 0 ? 'faint' : `series-${tone}`);
  const points = {show: true, size: 4, fill: stroke, filter: alonePoints};
  const done: uPlot.Series = {label, stroke, width: 1.9 + 2.6 * rim, points};
  const open: uPlot.Series = {...done, dash: [3, 3.5], width: 1.7 + 2.6 * rim};
  const past: uPlot.Series = {...done, points: {show: false}, width: 1.2, alpha: 0.42, dash: [1.5, 3]};
  const lines = [done, ...(isOpen ? [open] : []), ...(before === undefined ? [] : [past])];
  return lines.map((line) => ({owner, line}));
}

/** C1: a line that is finished, and one from its last point on. Nothing that is not above zero has a logarithm. */
function dataOf({times, series, openFrom, scale}: TimeChartProps): uPlot.AlignedData {
  const drawn = (values: readonly (number | null)[]): readonly (number | null)[] =>
    scale === 'log' ? values.map((value) => (value !== null && value > 0 ? value : null)) : values;
  const columns = series.flatMap(({values: all, before}) => {
    const values = drawn(all);
    const done = openFrom === undefined ? values : values.map((value, at) => (at < openFrom ? value : null));
    const open = openFrom === undefined ? [] : [values.map((value, at) => (at < openFrom - 1 ? null : value))];
    return [done, ...open, ...(before === undefined ? [] : [drawn(before)])];
  });
  return [times, ...columns] as unknown as uPlot.AlignedData;
}

/** Seconds before and after a single bucket, which has its point in the middle. */
const besideOne = 43_200;

/** C4: a value between two gaps makes no line, and must be seen all the same. */
const alonePoints: NonNullable<uPlot.Series.Points['filter']> = (self, series) => {
  const values = self.data[series]!;
  const found: number[] = [];
  for (const [at, value] of values.entries()) {
    if (value != null && values[at - 1] == null && values[at + 1] == null) found.push(at);
  }
  return found;
};

const powersOfTen = (_: uPlot, splits: number[]): number[] =>
  splits.map((value) => (isPowerOfTen(value) ? value : null!));

const daySeconds = 86_400;

/** Whether buckets are longer than a day: only their starts have ticks. */
const areLong = (times: readonly number[]): boolean => times[1]! - times[0]! > daySeconds;

/** The day that begins; empty within a day. */
const dayTick = (seconds: number): string => (seconds % daySeconds === 0 ? dayText(seconds) : '');

/** Seconds only where two ticks are less than a minute apart; midnight is the day that begins. */
function clockTick(ticks: readonly number[]): (seconds: number) => string {
  const isFine = ticks.length > 1 && ticks[1]! - ticks[0]! < 60;
  return (seconds) => dayTick(seconds) || clockText(seconds).slice(0, isFine ? 8 : 5);
}

/** Days, each of them once, and where two ticks are months apart their months with the year. */
function dateTick(ticks: readonly number[]): (seconds: number) => string {
  const apart = ticks.length > 1 ? ticks[1]! - ticks[0]! : 0;
  if (apart < 27 * daySeconds) return dayTick;
  return apart < 360 * daySeconds ? monthText : (seconds) => monthText(seconds).slice(-4);
}

const ruler = document.createElement('canvas').getContext('2d')!;
function textWidth(text: string): number {
  ruler.font = `560 12px ${getComputedStyle(document.body).fontFamily}`;
  return Math.ceil(ruler.measureText(text).width);
}

/** For those who do not see the lines: what there is, from when to when, and where it ends. */
function summaryOf({series, times, clock = false, zone = 'UTC', unit = '', say = count}: TimeChartProps): string {
  if (times.length === 0) return 'Nothing yet';
  const momentOf = clock ? clockText : longDayText;
  const ends = series.map(({label, values}) => {
    const end = values.findLast((value) => value !== null);
    return end == null ? `${label} not known` : `${label} ${say(end)}${unit}`;
  });
  return `From ${momentOf(times[0]!)} to ${momentOf(times.at(-1)!)} ${zone}. At the end: ${ends.join(', ')}`;
}
