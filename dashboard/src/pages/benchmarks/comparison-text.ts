// A comparison to take away: a table in Markdown, and one HTML file that needs nothing else.
import type {ListedRun} from '../../../../src/bench-run.js';
import {percent} from '../../charts/format.js';
import {differences} from './comparability.js';
import {type ComparedFigure, type Comparison, summaryOf} from './comparison.js';
import {changeText, figureText, runName, spreadText} from './figure-text.js';

const header = ['Figure', 'A', 'B', 'Change', 'Band', 'Verdict'] as const;

function cellsOf({figure, a, b, change, band, verdict}: ComparedFigure): string[] {
  const side = (spread: ComparedFigure['a']): string =>
    `${figureText(spread.median, figure.unit)} (${spreadText(spread)})`;
  return [figure.name, side(a), side(b), changeText(change), `± ${percent(band)}`, verdict];
}

function notesOf({a, b, isOtherHost, onlyA, onlyB}: Comparison): string[] {
  const options = differences(a.options, b.options);
  return [
    ...(isOtherHost ? [`Different hosts: ${differences(a.host, b.host).join(', ')}. Only ratios are judged.`] : []),
    ...(options.length > 0 ? [`Different options: ${options.join(', ')}.`] : []),
    ...(onlyA.length > 0 ? [`Only in A: ${onlyA.join('; ')}.`] : []),
    ...(onlyB.length > 0 ? [`Only in B: ${onlyB.join('; ')}.`] : []),
  ];
}

export function comparisonMarkdown(comparison: Comparison): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(inMarkdown).join(' | ')} |`;
  const {a, b, rows} = comparison;
  return [
    `**${inMarkdown(a.bench)}**: ${summaryOf(rows)}`,
    '',
    `- A: ${inMarkdown(runName(a))}`,
    `- B: ${inMarkdown(runName(b))}`,
    ...notesOf(comparison).map((note) => `- ${inMarkdown(note)}`),
    '',
    line(header),
    '| --- | ---: | ---: | ---: | ---: | --- |',
    ...rows.map((row) => line(cellsOf(row))),
    '',
  ].join('\n');
}

/** Name whose characters neither end its cell nor are markup of Markdown or HTML. */
const inMarkdown = (text: string): string =>
  text.replaceAll(/[\r\n]+/g, ' ').replaceAll(/[\\`*_[\]<>|]/g, (character) => `\\${character}`);

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const inHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character]!);

const style = `
:root { color-scheme: light dark }
body { font: 14px/1.5 system-ui, sans-serif; max-width: 1080px; margin: 32px auto; padding: 0 16px }
h1 { font-size: 20px } table { border-collapse: collapse; width: 100% }
th, td { text-align: right; padding: 5px 10px; border-top: 1px solid #8884; font-variant-numeric: tabular-nums }
th:first-child, td:first-child, th:last-child, td:last-child { text-align: left }
.worse { color: light-dark(#b3261e, #f2938c); font-weight: 600 } .better { color: light-dark(#0b6e5f, #5fd3bf); font-weight: 600 }
.note { background: light-dark(#fbe9e7, #34201f); padding: 8px 12px; border-radius: 6px } dt { float: left; width: 24px; font-weight: 600 }
`;

/** Comparison as a page without script or links to other files. */
export function comparisonHtml(comparison: Comparison): string {
  const {a, b, rows} = comparison;
  const title = `${a.bench}: ${summaryOf(rows)}`;
  const cell = (text: string): string => `<td>${inHtml(text)}</td>`;
  const row = (one: ComparedFigure): string => {
    const cells = cellsOf(one);
    return `<tr>${cells.slice(0, -1).map(cell).join('')}<td class="${one.verdict}">${one.verdict}</td></tr>`;
  };
  const run = (name: string, of: ListedRun): string => `<dt>${name}</dt><dd>${inHtml(runName(of))}</dd>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${inHtml(title)}</title>
<style>${style}</style>
<h1>${inHtml(title)}</h1>
<dl>${run('A', a)}${run('B', b)}</dl>
${notesOf(comparison)
  .map((note) => `<p class="note">${inHtml(note)}</p>\n`)
  .join('')}<table>
<thead><tr>${header.map((text) => `<th>${text}</th>`).join('')}</tr></thead>
<tbody>
${rows.map(row).join('\n')}
</tbody>
</table>
<p>Medians of the rounds, with the smallest and the largest. A figure is better or worse when the exact two-sided
Mann-Whitney test says so at 5 % and the change is above the band of noise.</p>
</html>
`;
}
