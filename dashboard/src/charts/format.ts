// Numbers, shares, durations and UTC dates as people read them. One place, so that every page says them alike.

const whole = new Intl.NumberFormat('en-US');
const compact = new Intl.NumberFormat('en-US', {notation: 'compact', maximumFractionDigits: 1});

export const count = (value: number): string => whole.format(value);
export const short = (value: number): string =>
  Math.abs(value) < 10_000 ? whole.format(value) : compact.format(value).toLowerCase().replace('m', 'M');
export const percent = (share: number, digits = 1): string => `${(share * 100).toFixed(digits)} %`;

/** `+6.2 %`, `−3.1 %`; empty where there is nothing to compare with. */
export function change(now: number, before: number): string {
  if (before === 0) return '';
  const share = now / before - 1;
  const text = `${(Math.abs(share) * 100).toFixed(1)} %`;
  return `${share < 0 ? '−' : '+'}${text}`;
}

const units: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** The two largest units: `4 min 12 s`, `2 d 3 h`. */
export function duration(seconds: number): string {
  const from = Math.max(
    0,
    units.findIndex(([size]) => seconds >= size),
  );
  const [size, name] = units[from]!;
  const next = units[from + 1];
  const first = Math.floor(seconds / size);
  const rest = next === undefined ? 0 : Math.floor((seconds - first * size) / next[0]);
  return rest === 0 || next === undefined ? `${first} ${name}` : `${first} ${name} ${rest} ${next[1]}`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

export const dayText = (seconds: number): string => {
  const date = new Date(seconds * 1_000);
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]}`;
};
export const longDayText = (seconds: number): string => {
  const date = new Date(seconds * 1_000);
  return `${weekdays[date.getUTCDay()]} ${dayText(seconds)} ${date.getUTCFullYear()}`;
};
export const clockText = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(11, 19);

/** `2026-11-03 14:05:12`, in UTC. */
export const momentText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** `41 s ago`, `3 d 2 h ago`; `now` below a second. */
export const agoText = (ms: number, nowMs: number): string =>
  nowMs - ms < 1_000 ? 'now' : `${duration(Math.floor((nowMs - ms) / 1_000))} ago`;
