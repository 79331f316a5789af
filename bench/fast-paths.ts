// Fast paths: second ways to an answer, for speed alone. Each has a plain twin, a test that compares both, and the line of a
// bench. Its gain is the twin's cost over the path's: the median of five rounds, with the smallest and the largest. A path
// whose line shows no gain is removed.

/** `line`: as the bench prints it. */
export type FastPath = readonly [path: string, twin: string, test: string, bench: string, line: string, gain: string];

// biome-ignore format: a path per line.
export const fastPaths: readonly FastPath[] = [
  ['batches read by a kernel (`kernels/plain-batch.ts`)', '`src/ingest/batch.ts` (parsed)', 'test/ingest/plain-batch.test.ts', 'parsers', 'kernel', '20.5 (18.7-22.3)'],
  ['single events read by that kernel', '`src/ingest/validate.ts` (parsed)', 'test/ingest/entry-encoder.test.ts', 'parsers', 'single: kernel', '11.7 (10.2-12.9)'],
  ['events judged by hand (`src/ingest/validate.ts`)', '`src/ingest/schemas.ts` (zod)', 'test/ingest/validate.test.ts', 'pieces', 'an event judged: by hand', '7.54 (6.52-7.87)'],
  ['too large events not parsed (`src/ingest/compact-size.ts`)', 'JSON.parse', 'test/ingest/compact-size.test.ts', 'pieces', 'a single event that is too large: counted over', '15.2 (13.0-18.6)'],
  ['bodies collected in used buffers (`src/edge/admission/collected-body.ts`)', 'new ones', 'test/edge/collected-body.test.ts', 'pieces', 'a body of 200 KiB collected: buffers used again', '7.35 (4.16-18.1)'],
  ['requests counted in arrays (`src/edge/metrics/traffic.ts`)', 'prom-client', 'test/edge/metrics/traffic.test.ts', 'pieces', 'a request counted: plain arrays', '16.7 (12.1-17.8)'],
  ['messages at a pace (`src/ingest/commit-pace.ts`)', 'at once', 'test/ingest/commit-pace.test.ts', 'without', 'single events: messages at a pace', '1.59 (1.37-1.59)'],
  ['acked messages handed over (`src/ingest/hand-over.ts`)', '`src/nats/log-pull.ts`', 'test/partition/log/log-reader.test.ts', 'without', 'batches: what was acked is handed over', '1.38 (1.27-1.46), two builds in turn'],
  ['reports asked from thread to thread (`src/nats/ask-link.ts`)', 'NATS', 'test/nats/ask-link.test.ts', 'without', 'a report: asked from thread to thread', '1.63 (1.62-1.88)'],
  ['live reads asked from thread to thread', 'NATS', 'test/partition/partition-role.test.ts', 'without', 'a page of history: asked from thread to thread', '2.12 (1.99-2.53)'],
  ['acks known to live reads (`src/ingest/acked-sequences.ts`)', 'the log asked', 'test/partition/log/read-barrier.test.ts', 'without', 'a page of history: what was acked is known', '3.49 (3.05-4.02)'],
  ['publications counted (`src/nats/published-manifests.ts`)', 'asked of NATS', 'test/report/engine.test.ts', 'reports', 'dau, asking NATS', '8.6 (6,381 / 742)'],
  ['unique values not looked up (`actors/chunk/event-rows.ts`, D1)', 'all looked up', 'test/actors/chunk/event-rows.test.ts', 'fold', 'fold in memory, every value looked up', '1.28 (1.20-1.34)'],
  ['users that came lately known', '`actors/table/interned.ts`', 'test/actors/chunk/event-rows.test.ts', 'fold', 'fold in memory, every user looked up', '1.12 (1.09-1.22)'],
  ['hashes by words (`actors/bytes/hash.ts`)', 'by bytes', 'test/actors/bytes/byte-ranges.test.ts', 'pieces', 'hash of a user key: words', '1.49 (1.34-1.51)'],
  ['comparing by words (`actors/bytes/byte-ranges.ts`)', 'by bytes', 'test/actors/bytes/byte-ranges.test.ts', 'pieces', 'keys compared: words', '1.83 (1.49-2.21)'],
  ['days as bits and lists (`actors/aggregator/day-sets.ts`)', 'a Set', 'test/actors/sorting.test.ts', 'pieces', 'users of a day: bits and lists', '2.26 (1.85-5.70)'],
  ['cells appended and joined (`actors/order/pair-sums.ts`)', 'a Map', 'test/actors/sorting.test.ts', 'pieces', 'hourly cells: appended, then joined', '3.95 (0.87-4.31)'],
  ['late rows merged (`actors/chunk/rows.ts`)', 'a comparator', 'test/actors/sorting.test.ts', 'pieces', 'rows by time: few late ones merged', '10.4 (7.84-14.7)'],
  ['radix sorts (`actors/order/radix-sort.ts`)', 'a comparator', 'test/actors/sorting.test.ts', 'pieces', 'rows in no order, by time: radix sort', '4.82 (4.64-6.00)'],
  ['chunks of users side by side (`actors/user/user-deltas.ts`)', 'one by one', 'test/actors/user/user-deltas.test.ts', 'pieces', 'chunks of every user: side by side', '3.38 (2.20-3.88)'],
  ['stored members read (`src/parts/stored-member.ts`)', 'gunzip', 'test/parts/stored-member.test.ts', 'pieces', 'bodies of a chunk read: stored members', '11.1 (8.08-15.1)'],
  ['stored members written', 'gzip', 'test/parts/stored-member.test.ts', 'pieces', 'bodies of a chunk written: stored members', '15.8 (8.67-16.6)'],
  ['a merge reuses blocks that no other run overlaps (`src/partition/snapshot/run-cursor.ts`)', 'it rewrites all blocks', 'test/partition/snapshot/compaction.test.ts', 'pieces', 'a run merged with that of past days: blocks taken over', '2.68 (1.92-4.96)'],
  ['funnels over postings (`actors/report/funnel/posted-funnel.ts`)', '`src/report/operators/funnel-walks.ts`', 'test/actors/report/funnel/posted-funnel.test.ts', 'twins', 'funnel of 3: postings', '46.8 (36.8-56.2), beside an earlier walk'],
  ['with a window (`actors/report/funnel/entry-rounds.ts`)', '`actors/report/funnel/sequential-search.ts`', 'test/actors/report/funnel/posted-funnel.test.ts', 'twins', 'funnel of 3 within a day: postings', '13.4 (11.9-15.6), beside an earlier walk'],
  ['rows of names cached (`src/report/named-rows.ts`)', 'rows read', 'test/report/named-rows.test.ts', 'twins', 'funnel of 3 over more than the cache holds: rows of its names cached', '4.68 (3.00-6.00), on a busy machine'],
  ['steps by a kernel (`kernels/funnel-progress.ts`)', '`test/twins/funnel-progress.ts`', 'test/actors/report/funnel/posted-funnel.test.ts', 'twins', 'funnel of 14: steps by the kernel', '1.92 (1.54-2.06)'],
  ['the same with a window', '`test/twins/funnel-progress.ts`', 'test/actors/report/funnel/posted-funnel.test.ts', 'twins', 'funnel of 3 within a day: steps by the kernel', '1.78 (1.27-1.92)'],
  ['medians by cells (`actors/report/funnel/median.ts`)', 'sorted', 'test/actors/report/gathering.test.ts', 'pieces', 'a median: sought in cells', '17.4 (15.5-19.6)'],
  ['lists used again (`actors/report/funnel/median.ts`)', 'new ones', 'test/actors/report/funnel/posted-funnel.test.ts', 'pieces', 'durations of a funnel: lists used again', '23.7 (8.30-29.5)'],
  ['runs of a user merged (`actors/report/rows/time-sort.ts`)', 'a comparator', 'test/actors/report/gathering.test.ts', 'pieces', 'rows of each user by time: runs merged', '11.9 (4.59-15.9)'],
  ['cells of values (`src/report/derived/value-index.ts`)', 'chunks scanned', 'test/report/derived/value-index.test.ts', 'twins', 'filtered count: cells of values', '49.1 (28.8-51.1)'],
  ['breakdowns by cells of values (`src/report/operators/celled-groups.ts`)', 'chunks scanned', 'test/report/derived/value-index.test.ts', 'twins', 'breakdown: cells of values', '3.13 (0.68-4.37)'],
  ['funnels over postings of conditions (`src/report/derived/postings-index.ts`)', '`src/report/operators/funnel-walks.ts`', 'test/actors/report/funnel/walked-funnel.test.ts', 'twins', 'funnel of 3 with a condition: postings of chosen events', '127 (84-144)'],
  ['times of chosen events (`src/report/derived/chosen-numbers.ts`)', 'chunks scanned', 'test/report/rows/left-behind.test.ts', 'twins', 'count with two conditions: times of chosen events', '50.5 (43.0-121), 400,000 events on a busy machine'],
  ['numbers of chosen events (`src/report/derived/chosen-numbers.ts`)', 'columns read', 'test/actors/report/rows/measured.test.ts', 'twins', 'sum of a number by day: numbers of chosen events', '12.1 (6.51-14.4)'],
  ['events counted by number (`actors/report/counts/number-counts.ts`)', '`actors/report/rows/value-groups.ts`', 'test/actors/report/counts/number-counts.test.ts', 'pieces', 'events by number: an array by the number', '2.58 (2.40-3.47), a million events on a busy machine'],
  ['users by day from day sets (`src/report/operators/users-of-days.ts`)', 'rows scanned', 'test/actors/report/engagement/lifecycle.test.ts', 'twins', 'lifecycle by day: day sets', '6.65 (5.42-8.16) of the CPU'],
  ['sets of users by bucket held (`src/report/derived/held-buckets.ts`)', 'rows scanned', 'test/report/rows/left-behind.test.ts', 'twins', 'lifecycle of an event by day: sets held', '7.73 (6.81-13.1) of the CPU'],
  ['sets of users who start and return held (`src/report/operators/return-sets.ts`)', '`actors/report/engagement/user-periods.ts`', 'test/report/rows/left-behind.test.ts', 'twins', 'retention by week: sets held', '41.9 (17.2-50.1) of the CPU'],
  ['rows found by a kernel (`kernels/row-finder.ts`)', '`test/twins/row-finder.ts`', 'test/report/kernels/name-kernel.test.ts', 'twins', 'chunks scanned: rows found by the kernel', '3.25 (2.93-4.19)'],
  ['ends of hours sought near (`actors/chunk/rows.ts`)', 'in all of the chunk', 'test/actors/parts.test.ts', 'pieces', 'ends of hours: sought near their starts', '1.59 (1.50-1.82)'],
  ['series as text (`actors/report/counts/answers.ts`)', 'JSON.stringify', 'test/actors/report/counts/answers.test.ts', 'pieces', 'a series: written as text', '2.97 (2.77-3.14)'],
  ['dates month by month (`actors/calendar.ts`)', 'one by one', 'test/actors/report/counts/answers.test.ts', 'pieces', 'dates of a series: month by month', '5.83 (5.67-5.87)'],
  ['answers kept (`src/report/published/answer-cache.ts`): the look-up alone', 'computed', 'test/report/engine.test.ts', 'twins', 'funnel of 3 again: answer kept', '4,969 (4,742-6,769)'],
  ['cached parts folded without a promise (`src/parts/load-ahead.ts`)', 'awaited one by one', 'test/parts/load-ahead.test.ts', 'twins', 'cached parts: folded without a promise', '1.54 (1.21-2.04)'],
  ['parts loaded ahead', 'one by one', 'test/parts/load-ahead.test.ts', 'twins', 'chunks of a store 1 ms away: some ahead', '2.09 (2.03-2.43)'],
  ['two queues (`src/parts/two-queues.ts`)', 'least recently used', 'test/parts/two-queues.test.ts', 'pieces', 'parts read: two queues', '1.35 of the reads'],
  ['what was put at hand (`src/parts/two-queues.ts`, TQ3)', 'read from the store', 'test/parts/parts-cache.test.ts', 'without', 'a page behind 200,000 events: what was put is at hand', '2.10 (1.98-2.21)'],
  ['rows in memory not sorted (`actors/chunk/history.ts`, N3)', 'sorted', 'test/actors/chunk/history.test.ts', 'pieces', 'newest rows of an open chunk: where they stand', '3.26 (0.54-4.09)'],
  ['history of a user by column (`actors/chunk/history.ts`)', 'by time', 'test/actors/chunk/history.test.ts', 'pieces', 'rows of one user: out of the column of users', '4.67 (4.01-4.92)'],
  ['starts read ahead and rehearse (`src/partition/reads/warm-up.ts`, `src/partition/reads/rehearsal.ts`)', 'neither', 'test/partition/reads/warm-up.test.ts', 'history', 'unprepared', '4.2 (p99 71 / 17.0 ms)'],
];

/** Lines that the bench prints for its paths, sorted. */
export const fastPathsOf = (name: string): string[] =>
  fastPaths
    .filter(([, , , bench]) => bench === name)
    .map(([, , , , line]) => line)
    .sort();
