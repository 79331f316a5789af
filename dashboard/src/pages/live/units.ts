// Units that only Live load shows.
import {count} from '../../charts/format';

const sizes = [
  [1e12, 'TB'],
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
] as const;

export function bytesText(bytes: number): string {
  const [size, name] = sizes.find(([from]) => bytes >= from) ?? [1, 'B'];
  const value = bytes / size;
  return `${value >= 100 || size === 1 ? Math.round(value) : value.toFixed(1)} ${name}`;
}

/** Full numbers above ten, one decimal below. */
export const rateText = (value: number): string =>
  value >= 10 || Number.isInteger(value) ? count(Math.round(value)) : value.toFixed(1);

export const msText = (value: number): string => (value >= 100 ? count(Math.round(value)) : value.toFixed(1));

export const secondsText = (ms: number): string => {
  const seconds = ms / 1_000;
  return seconds >= 100 ? count(Math.round(seconds)) : seconds >= 10 ? seconds.toFixed(1) : seconds.toFixed(2);
};
