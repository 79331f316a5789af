// A figure over the runs of a bench, evenly spaced: its median as a point, smallest to largest as a whisker.
//   RN1. Counts begin at zero. What must be reached and where the limit lies are lines with their words.
//   RN2. Runs that cannot be compared are not joined; a dotted upright says why.
//   RN3. Each point is a link to its run; arrow keys go from one to the next. What is pointed at is told below (`onPoint`).
import {scaledTo} from './ticks';

interface RunPoint {
  readonly key: string;
  /** Words for screen readers. */
  readonly label: string;
  readonly address: string;
  readonly median: number;
  readonly low: number;
  readonly high: number;
  /** Why it cannot be compared with the point before it. */
  readonly breakWord?: string | undefined;
}

const height = 84;
const markHeight = 14;
const pad = 7;
/** Points a word is wide, about. */
const wordSlots = 3;

export function RunChart({
  label,
  points,
  reach,
  limit,
  say,
  onPoint,
}: {
  readonly label: string;
  readonly points: readonly RunPoint[];
  readonly reach: number | undefined;
  readonly limit: number | undefined;
  readonly say: (value: number) => string;
  readonly onPoint: (key: string | undefined) => void;
}) {
  const top = Math.max(...points.map(({high}) => high), reach ?? 0, limit ?? 0) * 1.04;
  const y = scaledTo(top, height, pad);
  const share = 100 / points.length;
  const x = (at: number): string => `${((at + 0.5) * share).toFixed(2)}%`;
  const marks = placedMarks([
    ...(limit === undefined ? [] : [{look: 'limit', text: `best ${say(limit)}`, top: y(limit)} as const]),
    ...(reach === undefined ? [] : [{look: 'reach', text: `target ${say(reach)}`, top: y(reach)} as const]),
  ]);
  const move = (event: KeyboardEvent): void => {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (step === undefined) return;
    const links = [...(event.currentTarget as SVGElement).querySelectorAll<SVGAElement>('a')];
    const next = links[links.indexOf(document.activeElement as SVGAElement) + step];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <div class={`run-chart${marks.length > 0 ? ' marked' : ''}`}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is no picture */}
      <svg width="100%" height={height} role="group" aria-label={label} onKeyDown={move}>
        <line class="ground" x1="0" x2="100%" y1={y(0)} y2={y(0)} />
        {limit !== undefined && <line class="limit" x1="0" x2="100%" y1={y(limit)} y2={y(limit)} />}
        {reach !== undefined && <line class="reach" x1="0" x2="100%" y1={y(reach)} y2={y(reach)} />}
        {points.map(({key, median, breakWord}, at) => (
          <g key={key}>
            {at > 0 && breakWord === undefined && (
              <line class="join" x1={x(at - 1)} x2={x(at)} y1={y(points[at - 1]!.median)} y2={y(median)} />
            )}
            {breakWord !== undefined && (
              <>
                <line class="break" x1={`${at * share}%`} x2={`${at * share}%`} y1="0" y2={height} />
                {hasRoom(points, at) && (
                  <text class="break-word" x={`${at * share}%`} y={height - 10} dx="4">
                    {breakWord}
                  </text>
                )}
              </>
            )}
          </g>
        ))}
        {points.map(({key, label: name, address, median, low, high}, at) => (
          <a
            key={key}
            href={address}
            aria-label={name}
            tabIndex={at === points.length - 1 ? 0 : -1}
            onFocus={() => onPoint(key)}
            onBlur={() => onPoint(undefined)}
            onPointerEnter={() => onPoint(key)}
            onPointerLeave={() => onPoint(undefined)}
          >
            <rect class="hit" x={`${at * share}%`} y="0" width={`${share}%`} height={height} />
            <line class="whisker" x1={x(at)} x2={x(at)} y1={y(high)} y2={y(low)} />
            <circle cx={x(at)} cy={y(median)} r="3.6" />
          </a>
        ))}
      </svg>
      {marks.map(({text, look, top: markTop}) => (
        <span key={look} class={`mark ${look}`} style={{top: `${markTop}px`}} aria-hidden="true">
          {text}
        </span>
      ))}
    </div>
  );
}

interface Mark {
  readonly look: 'reach' | 'limit';
  readonly text: string;
  /** Middle of its words, px from the top. */
  readonly top: number;
}

/** Beside their lines, and moved apart where both would stand in one place. */
function placedMarks(marks: readonly Mark[]): Mark[] {
  const sorted = [...marks].sort((a, b) => a.top - b.top);
  const [first, second] = sorted;
  const lacking = second === undefined ? 0 : markHeight - (second.top - first!.top);
  if (lacking <= 0) return sorted;
  return [
    {...first!, top: first!.top - lacking / 2},
    {...second!, top: second!.top + lacking / 2},
  ];
}

/** A word that would run into the next one, or over the edge, is left out: pointing at the run tells it. */
function hasRoom(points: readonly RunPoint[], at: number): boolean {
  const slots = Math.ceil((points.length * wordSlots) / 12);
  return (
    points.length - at >= slots && points.slice(at + 1, at + slots).every(({breakWord}) => breakWord === undefined)
  );
}
