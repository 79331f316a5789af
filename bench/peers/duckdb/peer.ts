// Peer B: DuckDB, in this process, on two threads, its tables warm in memory. The same events in two schemas:
//   text   what a product would log: strings, a timestamp, JSON properties; in the order of arrival
//   coded  what an expert would make of it: dense integers for every string, one column a property, the day beside the
//          time, sorted by user and time, statistics gathered
// The database is a file of its own, so that its columns are compressed; all of it is read before anything is timed.
//   B1. No two events of one user have the same time (checked after loading), so that every question has one answer.

import {existsSync, rmSync} from 'node:fs';
import {monotonicMs} from '../../../src/clock.js';
import type {Say} from '../../bench.js';

type Api = typeof import('@duckdb/node-api');
type Instance = Awaited<ReturnType<Api['DuckDBInstance']['create']>>;
type DuckConnection = Awaited<ReturnType<Instance['connect']>>;

export type Schema = 'text' | 'coded';
export const schemas: readonly Schema[] = ['text', 'coded'];

export interface Timed {
  readonly rows: readonly (readonly unknown[])[];
  readonly elapsedMs: number;
}

const loadApi = (): Promise<Api> => import('@duckdb/node-api');

const threads = 2;
const memoryLimit = '8GB';

/** Properties that are coded, and the SQL type of their codes; the two others stay as they are. */
const codedProperties = ['path', 'country', 'device', 'plan'] as const;

export class DuckDbPeer {
  readonly #codes = new Map<string, number>();

  private constructor(
    private readonly instance: Instance,
    private readonly connection: DuckConnection,
    readonly version: string,
  ) {}

  /**
   * Opens the database at `path`, loaded from `linesPath` if it does not exist. Null, with a message, when the package is not
   * installed.
   */
  static async open(path: string, linesPath: string, say: Say, load = loadApi): Promise<DuckDbPeer | null> {
    let api: Api;
    try {
      api = await load();
    } catch (error) {
      say(`SKIPPED: no peer B, @duckdb/node-api does not load: ${(error as Error).message.split('\n')[0]}`);
      return null;
    }
    const isLoaded = existsSync(path);
    const instance = await api.DuckDBInstance.create(path, {threads: String(threads), memory_limit: memoryLimit});
    const peer = new DuckDbPeer(instance, await instance.connect(), api.version());
    try {
      if (!isLoaded) await peer.load(linesPath, say);
      await peer.warm();
      await peer.readCodes();
    } catch (error) {
      peer.stop();
      if (!isLoaded) for (const file of [path, `${path}.wal`]) rmSync(file, {force: true});
      throw error;
    }
    return peer;
  }

  stop(): void {
    this.connection.closeSync();
    this.instance.closeSync();
  }

  async run(sql: string): Promise<Timed> {
    const startMs = monotonicMs();
    const reader = await this.connection.runAndReadAll(sql);
    const elapsedMs = monotonicMs() - startMs;
    return {rows: reader.getRows(), elapsedMs};
  }

  /** The code of a string in the coded schema; -1 if it never occurred. `kind`: `name` or a property. */
  codeOf(kind: string, value: string): number {
    return this.#codes.get(`${kind} ${value}`) ?? -1;
  }

  private async load(linesPath: string, say: Say): Promise<void> {
    say('DuckDB: loading strings and JSON …');
    await this.run(`
      CREATE TABLE text AS SELECT event, "userId" AS user_id, "timestamp" AS time, properties
      FROM read_json('${linesPath}', format = 'newline_delimited', columns = {
        event: 'VARCHAR', "userId": 'VARCHAR', "timestamp": 'TIMESTAMP', properties: 'JSON'})`);
    say('DuckDB: coding and sorting …');
    const fields = [...codedProperties, 'duration_ms', 'session'];
    await this.run(`
      CREATE TEMP TABLE plain AS SELECT event AS name, "userId" AS user_id, "timestamp" AS time, unnest(properties)
      FROM read_json('${linesPath}', format = 'newline_delimited', columns = {
        event: 'VARCHAR', "userId": 'VARCHAR', "timestamp": 'TIMESTAMP',
        properties: 'STRUCT(${fields.map((field) => `"${field}" ${field === 'duration_ms' ? 'BIGINT' : 'VARCHAR'}`).join(', ')})'})`);
    for (const column of ['user_id', 'name', ...codedProperties]) {
      await this.run(`
        CREATE TABLE codes_${column} AS SELECT ${column} AS value, (row_number() OVER (ORDER BY ${column}) - 1) AS code
        FROM (SELECT DISTINCT ${column} FROM plain)`);
    }
    const joins = ['user_id', 'name', ...codedProperties].map(
      (column) => `JOIN codes_${column} ON plain.${column} = codes_${column}.value`,
    );
    await this.run(`
      CREATE TABLE coded AS SELECT
        codes_user_id.code::UINTEGER AS user, epoch_ms(time)::BIGINT AS t, (epoch_ms(time) // 86400000)::USMALLINT AS day,
        codes_name.code::UTINYINT AS name,
        ${codedProperties.map((column) => `codes_${column}.code::UTINYINT AS ${column}`).join(', ')},
        duration_ms::USMALLINT AS duration_ms, session
      FROM plain ${joins.join(' ')} ORDER BY user, t`);
    await this.run('DROP TABLE plain');
    await this.run('ANALYZE');
    await this.run('CHECKPOINT');
    const ties = await this.run(
      'SELECT count(*) FROM (SELECT user, t, lag(user) OVER w AS u, lag(t) OVER w AS b FROM coded WINDOW w AS (ORDER BY user, t)) WHERE user = u AND t = b',
    );
    if (Number(ties.rows[0]![0]) > 0) throw new Error('the workload has two events of one user at one time'); // B1
  }

  /** Reads every column once: timed queries then read from memory. */
  private async warm(): Promise<void> {
    await this.run('SELECT count(event), count(user_id), count(time), sum(length(properties::VARCHAR)) FROM text');
    await this.run(
      `SELECT sum(user), sum(t), sum(day), sum(name), sum(duration_ms), sum(length(session)),
       ${codedProperties.map((column) => `sum(${column})`).join(', ')} FROM coded`,
    );
  }

  private async readCodes(): Promise<void> {
    for (const kind of ['name', ...codedProperties]) {
      const {rows} = await this.run(`SELECT value, code FROM codes_${kind}`);
      for (const [value, code] of rows) this.#codes.set(`${kind} ${String(value)}`, Number(code));
    }
  }
}
