// One reading of everything that Live load shows: counters of this edge, and measures of the roles.
//   LL1. When a role does not answer, only its own numbers are missing; they are unknown, and never those of before.
import {isoText} from '../../../actors/calendar.js';
import {foldLagBytesMax} from '../../ingest/fold-lag.js';
import {publisherBytesMax} from '../../ingest/publisher.js';
import type {PartitionMeasures, ThreadMeasures} from '../../measures.js';
import {version} from '../../version.js';
import {unfinishedBodyBytes} from '../admission/body-budget.js';
import type {Front, Readiness} from '../front.js';
import {answerBytesInFlight} from '../http/unread-answers.js';
import type {Measures} from '../metrics/view.js';
import {isCatchingUp} from '../readiness.js';
import type {Route} from '../route.js';
import type {LoadAlarmKind, LoadState, MemberLoad, MemoryUse, PartitionLoad, PublishedReports} from './answers/load.js';
import type {LoadReading} from './load-ring.js';

export interface LookSources {
  readonly front: Front;
  readonly writeRoutes: {readonly track: Route; readonly identify: Route};
  readonly refreshMs: () => number;
  readonly natsVersion: () => string | undefined;
  readonly isWhole: boolean;
}

const unknown = Number.NaN;
const foldedOf = ({events, identifies}: PartitionMeasures): number =>
  events.counted + events.duplicate + events.erased + identifies.counted + identifies.duplicate + identifies.erased;

const late = (threads: readonly ThreadMeasures[], isAsked: (thread: string) => boolean): number =>
  Math.max(unknownIfNone(threads.filter(({thread}) => isAsked(thread)).map(({loopDelayMs}) => loopDelayMs.p99)));

/** The largest value; NaN without any. */
function unknownIfNone(values: readonly number[]): number {
  return values.length === 0 ? unknown : Math.max(...values);
}

/** `measures` undefined: no role has answered yet. LL1 */
export function readingOf(
  {front, writeRoutes}: LookSources,
  measures: Measures | undefined,
  atMs: number,
): LoadReading {
  const {traffic, obstacles} = front.operations;
  const {publisher, foldLag, intake} = front.writes;
  const single = traffic.answeredCount(writeRoutes.track, 'POST', '200');
  const partitions = (measures?.partitions ?? []).map((answer) => answer?.partition);
  const isAnyUnknown = partitions.length === 0 || partitions.includes(undefined);
  const ofAll = (read: (partition: PartitionMeasures) => number): number[] =>
    partitions.flatMap((partition) => (partition === undefined ? [] : [read(partition)]));
  const cpu = process.cpuUsage();
  return {
    atMs,
    totals: {
      batch: Math.max(0, traffic.events.accepted - single),
      single,
      identify: traffic.identifies.accepted,
      folded: isAnyUnknown ? unknown : ofAll(foldedOf).reduce((sum, count) => sum + count, 0),
      cpu_service: (cpu.user + cpu.system) / 1_000_000,
      cpu_nats: measures?.natsServer?.cpuSeconds ?? unknown,
    },
    gauges: {
      behind_ms: isAnyUnknown ? unknown : unknownIfNone(ofAll(({lagMs}) => lagMs)),
      report_age_ms: measures?.report?.asOfMs == null ? unknown : Math.max(0, atMs - measures.report.asOfMs),
      open: traffic.open,
      log_bytes: publisher.bytesPending,
      fold_bytes: foldLag.bytes(),
      body_bytes: unfinishedBodyBytes(),
      intake_bytes: intake.waitingBytes,
      answer_bytes: answerBytesInFlight(),
      late_edge_ms: late(measures?.threads ?? [], (thread) => thread === 'edge'),
      late_others_ms: late(measures?.threads ?? [], (thread) => thread !== 'edge'),
      snapshot_ms: unknownIfNone(ofAll(({snapshotMs}) => snapshotMs ?? 0)),
      disk_free_bytes: obstacles.disk?.freeBytes ?? unknown,
    },
    refusals: traffic.refusals,
    acks: traffic.ackTimes.counts,
  };
}

export function publishedOf(
  {refreshMs}: Pick<LookSources, 'refreshMs'>,
  measures: Measures | undefined,
): PublishedReports {
  const asOfMs = measures?.report?.asOfMs ?? null;
  return {
    as_of: asOfMs === null ? null : isoText(asOfMs),
    next_by: asOfMs === null ? null : isoText(asOfMs + refreshMs()),
    refresh_seconds: refreshMs() / 1_000,
  };
}

export function stateOf(
  sources: LookSources,
  measures: Measures | undefined,
  {reasons, warnings, notes}: Readiness,
  atMs: number,
): LoadState {
  const {front, natsVersion, isWhole} = sources;
  const {disk} = front.operations.obstacles;
  const alarms = alarmsOf(front, measures);
  return {
    at: atMs,
    status: statusOf(reasons, warnings.length + alarms.length > 0),
    reasons,
    warnings,
    notes,
    alarms,
    durability: front.operations.durability.class,
    version,
    up_seconds: Math.floor(process.uptime()),
    report: publishedOf(sources, measures),
    nats: {
      is_own: measures?.natsServer !== undefined,
      version: natsVersion() ?? null,
      restarts: measures?.natsServer?.restarts ?? null,
    },
    disk: disk === undefined ? null : {free_bytes: disk.freeBytes, reserve_bytes: disk.refuseBytes},
    is_whole: isWhole,
    partitions: Array.from({length: front.partitionCount}, (_, partition) =>
      partitionLoad(partition, measures?.partitions[partition]?.partition),
    ),
    members: membersOf(front),
    memory: memoryOf(front, measures),
    threads: (measures?.threads ?? []).map(({thread, loopDelayMs: {p99, max}}) => ({
      thread,
      late_p99_ms: Math.round(p99 * 10) / 10,
      late_max_ms: Math.round(max * 10) / 10,
    })),
  };
}

function statusOf(reasons: readonly string[], isAnythingAmiss: boolean): LoadState['status'] {
  if (reasons.length > 0) return reasons.every(isCatchingUp) ? 'catching_up' : 'not_ready';
  return isAnythingAmiss ? 'degraded' : 'ready';
}

function alarmsOf(
  {operations: {obstacles, lostRecords, cluster}, writes: {named}}: Front,
  measures: Measures | undefined,
): LoadState['alarms'] {
  const byKind = new Map<LoadAlarmKind, number[]>();
  const raise = (kind: LoadAlarmKind, partition: number): void =>
    void byKind.set(kind, [...(byKind.get(kind) ?? []), partition]);
  for (const [number, answer] of (measures?.partitions ?? []).entries()) {
    for (const kind of answer?.partition.alarms ?? []) raise(kind, number);
    const damaged = (answer?.partition.damagedParts ?? 0) + (measures?.report?.damagedParts[number] ?? 0);
    if (damaged > 0) raise('damaged_part', number);
  }
  if (named.names.isNearlyFull) byKind.set('event_names', []);
  if (measures?.report?.alertsLateMs !== undefined) byKind.set('alerts_late', []);
  if (obstacles.disk?.isNearlyFull) byKind.set('disk_nearly_full', []);
  if (obstacles.hasStoreFault) byKind.set('store_fault', []);
  if (lostRecords.warnings().length > 0) byKind.set('definitions_lost', []);
  for (const partition of cluster?.unowned ?? []) raise('partition_unowned', partition);
  if (cluster?.hasReturned) byKind.set('membership_lost', []);
  return [...byKind].map(([kind, partitions]) => ({kind, partitions}));
}

const partitionLoad = (partition: number, measures: PartitionMeasures | undefined): PartitionLoad => ({
  partition,
  behind_ms: measures === undefined ? null : Math.round(measures.lagMs),
  behind_messages: measures?.lagMessages ?? null,
  folded: measures === undefined ? null : foldedOf(measures),
  users: measures?.users ?? null,
  snapshot_sequence: measures?.snapshot?.sequence ?? null,
  snapshot_age_ms: measures?.snapshot?.ageMs ?? null,
  dedupe_window_ms: measures?.dedupe.windowMs ?? null,
  deletions_pending: measures?.deletions.pending ?? null,
});

const membersOf = ({operations: {cluster}}: Front): readonly MemberLoad[] | null =>
  cluster === undefined
    ? null
    : cluster.members.map(({name, role, state, sinceMs, isBack, partitions, movedMs}) => ({
        ...{name, role, state, partitions},
        since: sinceMs,
        is_back: isBack,
        moved_seconds: movedMs === undefined ? null : Math.floor(movedMs / 1_000),
      }));

const cacheUses = {live: 'live_reads', report: 'reports', funnels: 'funnels'} as const;

function memoryOf({writes: {publisher, foldLag}}: Front, measures: Measures | undefined): MemoryUse[] {
  const threads = measures?.threads ?? [];
  const dedupes = (measures?.partitions ?? []).flatMap((answer) =>
    answer === undefined ? [] : [answer.partition.dedupe],
  );
  const caches = threads.flatMap(({caches}) => caches);
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
  return [
    ...(Object.keys(cacheUses) as (keyof typeof cacheUses)[]).map((use) => {
      const ofUse = caches.filter((cache) => cache.use === use);
      const [bytes, most] = [sum(ofUse.map((cache) => cache.bytes)), sum(ofUse.map(({bytesMax}) => bytesMax))];
      return {use: cacheUses[use], bytes, bytes_max: most};
    }),
    {
      use: 'message_ids',
      bytes: sum(dedupes.map(({bytes}) => bytes)),
      bytes_max: sum(dedupes.map(({bytesMax}) => bytesMax)),
    },
    {use: 'log', bytes: publisher.bytesPending, bytes_max: publisherBytesMax},
    {use: 'fold', bytes: foldLag.bytes(), bytes_max: foldLagBytesMax},
    {use: 'heaps', bytes: sum(threads.map(({memory}) => memory.heap_total)), bytes_max: null},
    ...(measures?.natsServer?.residentBytes === undefined
      ? []
      : [{use: 'nats' as const, bytes: measures.natsServer.residentBytes, bytes_max: null}]),
  ];
}
