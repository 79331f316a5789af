// Every bound that log entries and state rely on, with its unit. docs/api.md-facing bounds stand here too, so that the edge
// refuses what the core could not hold.
import {assert} from './invariant.js';

export const idCharsMax = 256;
export const messageIdCharsMax = 128;
export const objectKeysMax = 256;
/** Pairs of an entry: those of the properties, the context and the origin. */
export const entryPairsMax = objectKeysMax + 2;
export const objectKeyCharsMax = 256;
export const objectDepthMax = 10;
/** Levels of an event or identify body, itself and unknown fields included. */
export const eventDepthMax = 28;
/** UTF-8 bytes of the compact JSON of one event, and of an identify body. */
export const eventBytesMax = 64 * 1024;
export const batchEventsMax = 1_000;
export const batchBytesMax = 10 * 1024 * 1024;
export const historyLimitMax = 1_000;
export const historyLimitDefault = 100;
export const namesLimitMax = 1_000;
export const namesLimitDefault = 100;
export const reportBucketsMax = 10_000;
export const funnelStepsMax = 50;
export const funnelUsersLimitMax = 1_000;
export const funnelUsersLimitDefault = 100;
/** Events that a funnel excludes between steps. */
export const exclusionsMax = 10;
/** Conditions of one `where` or `user_where`. */
export const conditionsMax = 10;
/** Event names of one list of series. */
export const seriesMax = 10;
export const breakdownLimitDefault = 25;
export const breakdownLimitMax = 1_000;
/** Rows times buckets of a breakdown. */
export const breakdownCellsMax = 100_000;
/** Cells of a cohort. */
export const retentionPeriodsMax = 60;
export const retentionPeriodsDefault = 12;
/** Cohorts times periods. */
export const retentionCellsMax = 100_000;
/** Steps of a path. */
export const pathDepthMin = 2;
export const pathDepthMax = 6;
export const pathDepthDefault = 4;
/** Edges of one step that are shown. */
export const pathEdgesMax = 200;
export const pathEdgesDefault = 20;
export const futureMsMax = 24 * 3_600_000;
export const profileTraitsMax = 256;
/** UTF-8 bytes of a profile's traits as compact JSON. */
export const profileBytesMax = 64 * 1024;

/** A log message leaves room under the server's 1 MiB payload limit for headers. */
export const logMessageBytesMax = 1_000_000;
/** Top-level numbers may take 10 bytes where their JSON took 2, the fixed fields 64, and a corrected time 64; nothing else grows. */
export const entryBytesMax = eventBytesMax + objectKeysMax * 10 + 1_024;
assert(2 * entryBytesMax <= logMessageBytesMax, 'an entry always fits a log message that is less than half full');

/** Rows of one chunk: 16 Ki keep its row numbers in 16 bits and a chunk's columns within one part value. */
export const chunkRowsMax = 16_384;
/**
 * Raw bytes of one chunk's bodies before it is closed early: 256 a row fill a chunk, and a block of the largest bodies,
 * which is inflated to read any one of them, stays below this.
 */
export const chunkBodyBytesMax = 4 * 1024 * 1024;
/** Rows whose bodies are compressed together. */
export const bodyBlockRows = 256;
assert(chunkRowsMax % bodyBlockRows === 0, 'body blocks fill a chunk');
/** Property columns of one chunk; a filter on a property beyond them reads bodies. */
export const chunkColumnsMax = 48;
/** Dictionary codes of one chunk, over all its columns; past them a filter reads bodies. */
export const chunkCodesMax = 65_000;
export const dictionaryValueBytesMax = 128;
export const dictionaryBytesMax = 1024 * 1024;

/** An anonymous user with more events is not moved to the user that it is: an id that many share, like "undefined". */
export const leaverRowsMax = 5_000;
/** Users of one leave entry, and of one move. */
export const leaversMax = 4_096;

export const dayMs = 86_400_000;
export const hourMs = 3_600_000;
/** A producer that was silent for so long (logical time) is forgotten: its retries ended, and its messages left the log, long before. */
export const producerMs = dayMs;
/** An erased user's message ids are refused silently for so long (logical time). */
export const tombstoneMs = 30 * dayMs;
/** Message ids are remembered for so long (logical time), memory permitting. */
export const dedupeMs = 8 * dayMs;
