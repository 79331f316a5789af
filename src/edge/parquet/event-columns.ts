// Lines of events (GET /v1/export), cut into columns. A line is the service's own JSON: known members in one order, no white space.
//   EC1. Properties and contexts keep the text that the line has: no number or key is read and written again.
//   EC2. A member without a column fails the file: none is left out in silence.
import type {FileColumn, FileValue} from './parquet-file.js';

/** In the order of the members. */
export const eventColumns: readonly FileColumn[] = [
  {name: 'id', type: 'text', isUnique: true},
  {name: 'event', type: 'text'},
  {name: 'userId', type: 'text'},
  {name: 'anonymousId', type: 'text'},
  {name: 'properties', type: 'text', isUnique: true},
  {name: 'context', type: 'text'},
  {name: 'joined', type: 'flag'},
  {name: 'joins', type: 'flag'},
  {name: 'timestamp', type: 'time'},
  {name: 'received_at', type: 'time'},
  {name: 'messageId', type: 'text', isUnique: true},
];

const heads = eventColumns.map(({name}) => `"${name}":`);

const backslash = 0x5c;
const quote = 0x22;
const comma = 0x2c;
const [openBrace, closeBrace] = [0x7b, 0x7d];

/** An array of values for each column. */
export function columnsOf(lines: Uint8Array): FileValue[][] {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.length).toString('utf8');
  const values: FileValue[][] = eventColumns.map(() => []);
  for (let at = 0, row = 0; at < text.length; row++) {
    let column = 0;
    do {
      at += 1; // A brace or a comma.
      while (column < heads.length && !text.startsWith(heads[column]!, at)) values[column++]![row] = null;
      if (column === heads.length) throw new Error(`no column for the member ${text.slice(at, text.indexOf(':', at))}`); // EC2
      const start = at + heads[column]!.length;
      at = valueEnd(text, start);
      values[column]![row] = fileValue(text, start, at, eventColumns[column]!);
      column += 1;
    } while (text.charCodeAt(at) === comma);
    while (column < heads.length) values[column++]![row] = null;
    at += 2; // A brace, and the end of the line.
  }
  return values;
}

function fileValue(text: string, start: number, end: number, {type}: FileColumn): FileValue {
  switch (text.charCodeAt(start)) {
    case openBrace:
      return text.slice(start, end); // EC1
    case quote: {
      const inside = text.slice(start + 1, end - 1);
      if (type === 'time') return BigInt(Date.parse(inside));
      return inside.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : inside;
    }
    default:
      return text.startsWith('null', start) ? null : text.startsWith('true', start);
  }
}

/** Place after the value that begins here. */
function valueEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === quote) return stringEnd(text, start);
  if (first !== openBrace) return start + (text.startsWith('false', start) ? 5 : 4);
  for (let at = start + 1, depth = 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = stringEnd(text, at) - 1;
    else if (code === openBrace) depth += 1;
    else if (code === closeBrace) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
}

/** Place after the string that begins here. */
function stringEnd(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at + 1;
}

/** Whether an odd number of backslashes is before this place. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === backslash) first -= 1;
  return (at - first) % 2 === 1;
}
