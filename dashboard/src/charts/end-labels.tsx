// Names of series at the ends of their lines, instead of a legend.
//   E1. They keep the order of the lines' ends, never overlap, and stay within the chart.
//   E2. Pointing at one, or having the focus on it, dims the other lines; a click keeps it so.
import type {Signal} from '@preact/signals';

/** Height that a finger hits (WCAG 2.5.8). */
export const labelHeight = 24;

interface EndLabel {
  readonly label: string;
  readonly tone: number;
  /** Middle of it, px from the top of the chart. */
  readonly y: number;
}

/** E1: moves labels apart, from the top down, and all of them up where they do not fit. @returns tops. */
export function placeLabels(labels: readonly EndLabel[], bottom: number): EndLabel[] {
  const placed = labels.map((label) => ({...label, y: label.y - labelHeight / 2})).sort((a, b) => a.y - b.y);
  for (let at = 1; at < placed.length; at++) placed[at]!.y = Math.max(placed[at]!.y, placed[at - 1]!.y + labelHeight);
  for (let at = placed.length - 1, most = bottom - labelHeight; at >= 0; at--, most -= labelHeight) {
    if (placed[at]!.y <= most) break;
    placed[at]!.y = most;
  }
  return placed;
}

export interface Ends {
  /** px from the left edge of the chart. */
  readonly left: number;
  readonly labels: readonly EndLabel[];
}

export function EndLabels({
  ends,
  kept,
  onPoint,
  onKeep,
}: {
  readonly ends: Signal<Ends | undefined>;
  readonly kept: Signal<string | undefined>;
  readonly onPoint: (label: string | undefined) => void;
  readonly onKeep: (label: string) => void;
}) {
  if (ends.value === undefined) return null;
  const {left, labels} = ends.value;
  return (
    <>
      {labels.map(({label, tone, y}) => (
        <button
          key={label}
          type="button"
          class={`end tone-${tone}`}
          style={{left: `${left}px`, top: `${y}px`}}
          aria-pressed={kept.value === label}
          aria-label={`${label}: dim the other lines`}
          title={label}
          onPointerEnter={() => onPoint(label)}
          onPointerLeave={() => onPoint(undefined)}
          onFocus={() => onPoint(label)}
          onBlur={() => onPoint(undefined)}
          onClick={() => onKeep(label)}
        >
          {label}
        </button>
      ))}
    </>
  );
}
