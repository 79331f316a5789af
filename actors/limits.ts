// Every bound that log entries and state rely on, with its unit. Bounds of docs/api are here, too, so that the edge refuses
// what the core cannot hold.
import {assert} from './invariant.js';

export const idCharsMax = 256;
export const messageIdCharsMax = 128;
export const objectKeysMax = 256;
/** Members of the context that have a pair of their own (log/context.ts). */
export const contextMembersMax = 16;
/** Pairs of an entry: properties, context and origin. */
export const entryPairsMax = objectKeysMax + contextMembersMax + 2;
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
/** Further things that the users of a list did, or did not do. */
export const deedsMax = 5;
/** Conditions of one `where` or `user_where`. */
export const conditionsMax = 10;
/** Event names of one list of series. */
export const seriesMax = 10;
export const breakdownLimitDefault = 25;
export const breakdownLimitMax = 1_000;
/** Breakdowns of counts. */
export const breakdownsMax = 3;
/** Rows of a breakdown, or combinations of rows of several, times its buckets. */
export const breakdownCellsMax = 100_000;
/** Cells of one cohort. */
export const retentionPeriodsMax = 60;
export const retentionPeriodsDefault = 12;
/** Cohorts times their periods. */
export const retentionCellsMax = 100_000;
/** Steps of a path. */
export const pathDepthMin = 2;
export const pathDepthMax = 6;
export const pathDepthDefault = 4;
/** Edges of one step in an answer. */
export const pathEdgesMax = 200;
export const pathEdgesDefault = 20;
export const futureMsMax = 24 * 3_600_000;
export const profileTraitsMax = 256;
/** UTF-8 bytes of a profile's traits as compact JSON. */
export const profileBytesMax = 64 * 1024;

/** Bytes of a log message: leaves room for headers under the server's payload limit of 1 MiB. */
export const logMessageBytesMax = 1_000_000;
/** What the edge adds to the context of a browser's event (src/ingest/web-context.ts), in UTF-8. */
export const contextAddedBytesMax = 8 * 1_024;
/**
 * Top-level numbers may take 10 bytes where their JSON took 2, the fixed fields 64, a corrected time 64, the pairs of the context 16 each;
 * nothing else grows.
 */
export const entryBytesMax = eventBytesMax + objectKeysMax * 10 + 1_024 + contextAddedBytesMax;
assert(2 * entryBytesMax <= logMessageBytesMax, 'an entry always fits a log message that is less than half full');

/** Rows of one chunk: 16 Ki keep row numbers in 16 bits, and a chunk's columns within one part value. */
export const chunkRowsMax = 16_384;
/**
 * Raw bytes of bodies at which a chunk is closed early: 256 a row for a full chunk. A block of the largest bodies, which is
 * inflated to read any one of them, stays below this, too.
 */
export const chunkBodyBytesMax = 4 * 1024 * 1024;
/** Rows whose bodies are compressed together. */
export const bodyBlockRows = 256;
assert(chunkRowsMax % bodyBlockRows === 0, 'body blocks fill a chunk');
/** Property columns of one chunk, those of the context among them; a filter on a property beyond them reads bodies. */
export const chunkColumnsMax = 48 + contextMembersMax;
/** Dictionary codes of one chunk, over all its columns; values beyond them are in bodies, which filters then read. */
export const chunkCodesMax = 65_000;
export const dictionaryValueBytesMax = 128;
export const dictionaryBytesMax = 1024 * 1024;

/**
 * Events up to which an anonymous user is moved to its owner's partition. One with more is an id that many share, like
 * "undefined".
 */
export const leaverRowsMax = 5_000;
/** Users of one leave entry, and of one move. */
export const leaversMax = 4_096;

export const dayMs = 86_400_000;
export const hourMs = 3_600_000;
/**
 * A producer that was silent for this long (logical time) is forgotten: its retries ended, and its messages left the log,
 * before.
 */
export const producerMs = dayMs;
/** An erased user's message ids are refused silently for this long (logical time). */
export const tombstoneMs = 30 * dayMs;
/** Changes can be read for this long (logical time). */
export const changesMs = 30 * dayMs;
/** Message ids are remembered for this long (logical time), memory permitting. */
export const dedupeMs = 8 * dayMs;
