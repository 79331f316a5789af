// Tables of events of any service: the operator says which columns are the members of an event, and the others are its properties.
//   CE1. A column is text. In properties a number or a truth value that is written as JSON has it becomes one; ids stay texts.

import {type Call, eventOf, type Translation} from '../../edge/compatible/translator.js';
import type {Zone} from '../../zone.js';
import {zonedText} from './local-time.js';
import {SourceFault} from './source-fault.js';

/** Members of an event that a column may be. */
export const csvMembers = ['event', 'userId', 'anonymousId', 'timestamp', 'messageId'] as const;
export type CsvMember = (typeof csvMembers)[number];
const required = ['event', 'timestamp'] as const satisfies readonly CsvMember[];

/** Column by member; a member that is not there has a column of its own name, if any. */
export type CsvColumns = ReadonlyMap<CsvMember, string>;

/** Beyond it a number of seconds is one of milliseconds. */
const secondsMax = 1e11;

export function csvTranslate(named: CsvColumns, zone: Zone | undefined): (row: Call) => Translation {
  const columns = new Map(csvMembers.map((member) => [member, named.get(member) ?? member]));
  const members = new Set(columns.values());
  return (row) => {
    const common = Object.fromEntries([...columns].map(([member, column]) => [member, row[column]]));
    const properties: Record<string, unknown> = {};
    for (const name in row) if (!members.has(name)) properties[name] = plainValue(String(row[name]));
    const timestamp = typeof common.timestamp === 'string' ? timeText(common.timestamp, zone, columns) : undefined;
    return {kind: 'event', native: [eventOf({...common, timestamp, properties})], ignored: []};
  };
}

/** @throws SourceFault when the table has no column for a member that every event needs, or lacks one that was named. */
export function assertColumns(header: readonly string[], named: CsvColumns): void {
  const columns = `; the columns are ${header.slice(0, 50).join(', ')}.`;
  for (const [member, column] of named)
    if (!header.includes(column)) throw new SourceFault(`no column is named "${column}" (--map ${member}=)${columns}`);
  for (const member of required) {
    if (!header.includes(named.get(member) ?? member))
      throw new SourceFault(`which column is ${member}? Say --map ${member}=COLUMN${columns}`);
  }
  if (!header.includes(named.get('userId') ?? 'userId') && !header.includes(named.get('anonymousId') ?? 'anonymousId'))
    throw new SourceFault(`which column is the person? Say --map userId=COLUMN or anonymousId=COLUMN${columns}`);
}

/** Of seconds or milliseconds, too. */
function timeText(text: string, zone: Zone | undefined, columns: ReadonlyMap<CsvMember, string>): string {
  if (!/^\d{9,13}(\.\d+)?$/.test(text)) return zonedText(text, zone, columns.get('timestamp')!);
  const number = Number(text);
  return new Date(Math.round(number > secondsMax ? number : number * 1_000)).toISOString();
}

/** CE1 */
function plainValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : text;
}
