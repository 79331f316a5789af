// The table of docs/benchmarks.md that says what each figure is to reach.
import {readFileSync} from 'node:fs';

/** `reach limit` of each row of a bench, as numbers. */
export function reachTable(bench: string): string[] {
  const page = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8');
  const section = page.split('\n## Results\n')[1]!.split('\n## ')[0]!;
  const numberOf = (cell: string): number => Number(cell.replace(/[ ,]|ms|MB\/s|MiB|B/g, ''));
  return section
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells[3] === `\`${bench}\``)
    .map(([, , , , reach, limit]) => `${numberOf(reach!)} ${numberOf(limit!)}`);
}

/** In the same form. */
export const reachesOf = (
  figures: readonly {readonly reach?: number | undefined; readonly limit?: number | undefined}[],
): string[] => figures.filter(({reach}) => reach !== undefined).map(({reach, limit}) => `${reach} ${limit}`);
