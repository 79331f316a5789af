// Progress of an import for the operator: a bar on a terminal, otherwise a line every few seconds.

export interface ProgressView {
  /** Share of the file's bytes, 0 to 1. */
  readonly fraction: number;
  readonly accepted: number;
  readonly refused: number;
  readonly eventsPerSecond: number;
  /** Null while unknown. */
  readonly secondsLeft: number | null;
  /** Why events wait; empty if they do not. */
  readonly trouble: string;
}

const barCells = 24;

/** One line, truncated to the width of the terminal: a line that wraps cannot be overwritten. */
export function progressLine(view: ProgressView, columns: number): string {
  const filled = Math.round(view.fraction * barCells);
  const bar = '█'.repeat(filled) + '░'.repeat(barCells - filled);
  return `${bar} ${progressText(view)}`.slice(0, columns - 1);
}

export function progressText(view: ProgressView): string {
  const percent = `${Math.floor(view.fraction * 100)} %`.padStart(5);
  const parts = [percent, `${count(view.accepted)} accepted`];
  if (view.refused > 0) parts.push(`${count(view.refused)} refused`);
  parts.push(`${count(Math.round(view.eventsPerSecond))}/s`);
  if (view.secondsLeft !== null) parts.push(`${duration(view.secondsLeft)} left`);
  if (view.trouble !== '') parts.push(`waiting: ${view.trouble}`);
  return parts.join(' · ');
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}

export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const rounded = Math.round(seconds);
  if (rounded < 60) return `${rounded} s`;
  const minutes = Math.floor(rounded / 60);
  return minutes < 60 ? `${minutes} min ${rounded % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
