// Resident memory of the service, measured from outside. Uncollected garbage, and pages that malloc keeps, change it by tens of
// MiB: the least of several readings of an idle process is one value, and growth is the slope of a line through many of them.
import {readFileSync} from 'node:fs';
import {setTimeout as pause} from 'node:timers/promises';

const looks = 8;
const lookEveryMs = 500;
const mib = 1024 * 1024;

export async function restingMemory(pid: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < looks; look++) {
    await pause(lookEveryMs);
    least = Math.min(least, residentMib(pid));
  }
  return Math.round(least * 10) / 10;
}

function residentMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return (Number(kib) * 1024) / mib;
}

/** Rise of a line through equally spaced values (least squares), from the first to the last. */
export function fittedGrowth(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let covariance = 0;
  let variance = 0;
  for (const [at, value] of values.entries()) {
    covariance += (at - middle) * (value - mean);
    variance += (at - middle) ** 2;
  }
  return variance === 0 ? 0 : (covariance / variance) * (values.length - 1);
}
