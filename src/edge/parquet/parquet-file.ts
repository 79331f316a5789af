// A Parquet file, a row group at a time.
//   PF1. The footer comes last: readers refuse a file without it, so a file that was cut never looks whole.
//   PF2. Types are those of the columns, never guessed from values: a file without rows has the same ones.
//   PF3. Until its end a file takes the memory of its footer, some 10 KB for each row group.
import {ByteWriter, type ColumnSource, ParquetWriter} from 'hyparquet-writer';

type SchemaElement = ParquetWriter['schema'][number];

/** `count`: integers; `date`: days since 1970; `time`: epoch ms. */
export type FileType = 'text' | 'count' | 'number' | 'date' | 'time' | 'flag';

export type FileValue = string | number | bigint | boolean | null;

export interface FileColumn {
  readonly name: string;
  readonly type: FileType;
  /** No value comes twice, so no dictionary of the values is tried. */
  readonly isUnique?: true;
}

/**
 * What readers make of a column: text and no JSON type, which DuckDB has as bytes and others not at all. The older name of a type
 * stands beside the newer one, for older readers.
 */
const elements: Readonly<Record<FileType, Omit<SchemaElement, 'name'>>> = {
  text: {type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: {type: 'STRING'}},
  count: {type: 'INT64'},
  number: {type: 'DOUBLE'},
  date: {type: 'INT32', converted_type: 'DATE', logical_type: {type: 'DATE'}},
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: {type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS'},
  },
  flag: {type: 'BOOLEAN'},
};

/** In Thrift's compact form: a number of rows of 0, then the list of row groups with a byte for its length and type. */
const typelessGroups = Buffer.from([0x16, 0x00, 0x19, 0x00]);
const noGroups = Buffer.from([0x16, 0x00, 0x19, 0x0c]);

export class ParquetFile {
  private readonly bytes = new ByteWriter();
  private readonly columns: readonly FileColumn[];
  private readonly writer: ParquetWriter;

  constructor(columns: readonly FileColumn[]) {
    this.columns = columns;
    const ofColumns = columns.map(({name, type}) => ({...elements[type], name, repetition_type: 'OPTIONAL' as const}));
    const schema: SchemaElement[] = [{name: 'root', num_children: columns.length}, ...ofColumns];
    this.writer = new ParquetWriter({writer: this.bytes, schema, createdBy: 'millrace'});
  }

  /** Writes these rows, one array of values a column. */
  add(values: readonly FileValue[][]): void {
    const rowGroupSize = values[0]!.length;
    if (rowGroupSize === 0) return;
    const columnData = this.columns.map(
      ({name, type, isUnique}, at): ColumnSource => ({
        name,
        data: values[at]!,
        ...(isUnique && {encoding: 'PLAIN'}),
        // By least and largest values readers leave out row groups: of texts each group has nearly all.
        statistics: type !== 'text',
        offsetIndex: false,
      }),
    );
    void this.writer.write({columnData, rowGroupSize});
  }

  /** `facts`: what the footer says beside the columns. PF1 */
  end(facts: Readonly<Record<string, string>>): void {
    this.writer.kvMetadata = Object.entries(facts).map(([key, value]) => ({key, value}));
    void this.writer.finish();
    if (this.writer.num_rows === 0n) this.nameTypeOfGroups();
  }

  /** hyparquet-writer gives a list without elements no type of them, for which arrow-rs (Polars) refuses a file without rows. */
  private nameTypeOfGroups(): void {
    const footer = Buffer.from(this.bytes.buffer, 0, this.bytes.index);
    footer.set(noGroups, footer.indexOf(typelessGroups));
  }

  /** What was written since the last call. */
  take(): Uint8Array<ArrayBuffer> {
    const {bytes} = this;
    const taken = new Uint8Array(bytes.buffer.slice(0, bytes.index));
    bytes.index = 0; // Its `offset`, of which the footer speaks, goes on.
    return taken;
  }
}
