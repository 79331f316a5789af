// The table of bench/README.md that says what each fast path brings.

import {readFileSync} from 'node:fs';

export interface FastPath {
  readonly path: string;
  readonly twin: string;
  readonly test: string;
  readonly bench: string;
  /** As the bench prints it. */
  readonly line: string;
  readonly gain: string;
}

export function fastPaths(): FastPath[] {
  const readme = readFileSync(new URL('../../bench/README.md', import.meta.url), 'utf8');
  const section = readme.split('## What each fast path brings')[1]!.split('\n## ')[0]!;
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((row) => {
    const [, path, twin, test, named, gain] = row.split('|').map((cell) => cell.trim());
    const [, bench, line] = named!.match(/^`(\w+)`: (.+)$/)!;
    return {path: path!, twin: twin!, test: test!, bench: bench!, line: line!, gain: gain!};
  });
}

/** Lines of this bench, in order of their letters. */
export const fastPathsOf = (bench: string): string[] =>
  fastPaths()
    .filter((each) => each.bench === bench)
    .map(({line}) => line)
    .sort();
