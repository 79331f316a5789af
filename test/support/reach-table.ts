// The tables of docs/benchmarks.md that say what each figure is to reach.
import {readFileSync} from 'node:fs';
import type {Figure} from '../../src/bench-run.js';

const arrowOf = {more: '↑', less: '↓'} as const satisfies Record<Figure['better'], string>;

/** Cells of each row of the results: `#`, what, bench, reach, limit, measured, reached. */
export function resultRows(): string[][] {
  const page = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8');
  const section = page.split('\n## Results\n')[1]!.split('\n## ')[0]!;
  return section
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
}

/** `arrow reach limit` of each row of a bench: which way is better, and both as numbers. */
export function reachTable(bench: string): string[] {
  const numberOf = (cell: string): number => Number(cell.replace(/[ ,]|ms|MB\/s|MiB|B/g, ''));
  return resultRows()
    .filter(([, , of]) => of === `\`${bench}\``)
    .map(([, , , reach, limit]) => `${reach![0]} ${numberOf(reach!.slice(1))} ${numberOf(limit!)}`);
}

/** In the same form. */
export const reachesOf = (figures: readonly Pick<Figure, 'better' | 'reach' | 'limit'>[]): string[] =>
  figures
    .filter(({reach}) => reach !== undefined)
    .map(({better, reach, limit}) => `${arrowOf[better]} ${reach} ${limit}`);
