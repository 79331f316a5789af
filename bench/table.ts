// Plain text tables: the first column left-aligned, numbers right-aligned.

export function tableText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd();
  return [line(header), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

export function fixed(value: number, digits: number): string {
  return value.toFixed(digits);
}
