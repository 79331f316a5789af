// Reads Parquet files with DuckDB.
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {DuckDBInstance, type Json} from '@duckdb/node-api';
import {afterAll, beforeAll} from 'vitest';
import {eventColumns} from '../../src/edge/parquet/event-columns.js';

/** Asks about a file; `FILE` in the SQL stands for it. */
export type AskParquet = (file: Uint8Array, sql: string) => Promise<readonly Record<string, Json>[]>;

/** For all tests of a file of tests. */
export function useDuckDb(): AskParquet {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-parquet-'));
  const path = join(folder, 'file.parquet');
  let instance: DuckDBInstance;
  let connection: Awaited<ReturnType<DuckDBInstance['connect']>>;
  beforeAll(async () => {
    instance = await DuckDBInstance.create(':memory:', {threads: '1'});
    connection = await instance.connect();
  });
  afterAll(() => {
    connection.closeSync();
    instance.closeSync();
    rmSync(folder, {recursive: true});
  });
  return async (file, sql) => {
    writeFileSync(path, file);
    return (await connection.runAndReadAll(sql.replaceAll('FILE', `'${path}'`))).getRowObjectsJson();
  };
}

// -- events --

const times: readonly string[] = ['timestamp', 'received_at'];
const names = eventColumns.map(({name}) => name);

const columns = names.map((name) => (times.includes(name) ? `epoch_ms("${name}") AS "${name}"` : `"${name}"`));

/** Rows of a file of events, as `eventRow` has them. */
export async function eventRows(ask: AskParquet, file: Uint8Array): Promise<readonly object[]> {
  const rows = await ask(file, `SELECT ${columns.join()} FROM FILE`);
  const parsed = (text: Json): Json => (text === null ? null : JSON.parse(text as string));
  return rows.map((row) => ({...row, properties: parsed(row.properties!), context: parsed(row.context!)}));
}

/** What a row has for a line of events: times as epoch ms, null for a member that is not there. */
export const eventRow = (line: object): object =>
  Object.fromEntries(
    names.map((name) => {
      const value: unknown = (line as Record<string, unknown>)[name] ?? null;
      return [name, times.includes(name) ? String(Date.parse(value as string)) : value];
    }),
  );
