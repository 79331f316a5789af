// Every metric of the service as data: its name, its meaning, and how it is read (docs/operating.md: what to do about them).
//   Names follow Prometheus: a `millrace_` prefix, base units (seconds, bytes), counters end in `_total`. What every Node program
//   can tell of its process begins with `process_` or `nodejs_`.
//   Labels come from fixed sets (traffic.ts, T1): never an id, key or name of a user or an event.

import {memberRoles} from '../../../actors/cluster/records.js';
import {foldLagBytesMax} from '../../ingest/fold-lag.js';
import {ignoredFieldLabels} from '../../ingest/ignored-fields.js';
import {publisherBytesMax} from '../../ingest/publisher.js';
import {keyKinds} from '../../keys/key.js';
import {alarmKinds, type DictionaryMeasures, type PartitionMeasures, type ThreadMeasures} from '../../measures.js';
import {commit, version} from '../../version.js';
import type {Endpoint} from '../../webhooks/endpoint.js';
import {type EndpointHealth, isProbed, lagMsOf} from '../../webhooks/endpoint-health.js';
import {unfinishedBodyBytes, unfinishedBytesMax} from '../admission/body-budget.js';
import {waitingBytesMax} from '../admission/intake.js';
import {kindsOfCalls} from '../compatible/translators.js';
import type {ErrorCode} from '../failure.js';
import type {Outcomes} from '../http/exchange-counts.js';
import {answerBytesInFlight, answerBytesMax} from '../http/unread-answers.js';
import type {FixedHistogram} from './fixed-histogram.js';
import type {View} from './view.js';

export interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Set where it differs from the family's: buckets, sum and count of a histogram. */
  readonly metricName?: string;
}

export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly read: (view: View) => readonly Sample[];
}

type Read<Of> = (of: Of) => number | null | undefined;

const plain = (value: number): Sample[] => [{labels: {}, value}];

/** Sample of a value, or none: an unknown value is not shown as zero. */
function sampleOf(labels: Sample['labels'], value: number | null | undefined): Sample[] {
  return value === null || value === undefined ? [] : [{labels, value}];
}

/** One sample for every partition that answered. */
function ofPartition(type: 'counter' | 'gauge', name: string, help: string, read: Read<PartitionMeasures>): Family {
  const samples = ({partitions}: View): Sample[] =>
    partitions.flatMap((answer, partition) =>
      answer === undefined ? [] : sampleOf({partition}, read(answer.partition)),
    );
  return {name, type, help, read: samples};
}

/** One sample for each dictionary of every partition that answered. */
function ofDictionary(name: string, help: string, read: (of: DictionaryMeasures) => number): Family {
  const samples = ({partitions}: View): Sample[] =>
    partitions.flatMap((answer, partition) =>
      (answer?.partition.dictionaries ?? []).map((of) => ({
        labels: {partition, dictionary: of.dictionary},
        value: read(of),
      })),
    );
  return {name, type: 'gauge', help, read: samples};
}

/** Outcomes of entries in their partitions. */
const foldedSamples = ({partitions}: View, entries: 'events' | 'identifies'): Sample[] =>
  partitions.flatMap((answer, partition) =>
    Object.entries(answer?.partition[entries] ?? {}).map(([outcome, value]) => ({labels: {partition, outcome}, value})),
  );

/** One sample for every thread that answered. */
function ofThread(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  read: (thread: ThreadMeasures) => readonly Sample[],
): Family {
  const samples = ({threads}: View): Sample[] =>
    threads.flatMap((thread) =>
      read(thread).map(({labels, value}) => ({labels: {thread: thread.thread, ...labels}, value})),
    );
  return {name, type, help, read: samples};
}

function histogram(
  name: string,
  help: string,
  read: (view: View) => readonly {readonly labels: Sample['labels']; readonly of: FixedHistogram}[],
): Family {
  const samples = (view: View): Sample[] => read(view).flatMap(({labels, of}) => histogramSamples(name, labels, of));
  return {name, type: 'histogram', help, read: samples};
}

function histogramSamples(name: string, labels: Sample['labels'], of: FixedHistogram): Sample[] {
  const {cumulative, count, sum} = of.read();
  const buckets = cumulative.map((value, at) => ({
    metricName: `${name}_bucket`,
    labels: {...labels, le: of.bounds[at] ?? '+Inf'},
    value,
  }));
  return [
    ...buckets,
    {metricName: `${name}_sum`, labels, value: sum},
    {metricName: `${name}_count`, labels, value: count},
  ];
}

const refusalSamples = (refusals: ReadonlyMap<ErrorCode, number>, of: 'clients' | 'pages'): Sample[] =>
  [...refusals].map(([code, value]) => ({labels: {code, of}, value}));

const outcomeSamples = (outcomes: Outcomes): Sample[] =>
  Object.entries(outcomes).map(([outcome, value]) => ({labels: {outcome}, value: value as number}));

/** Alarms of the service's own nats-server and its disk, and of lost records. */
function storeAlarms({
  front: {
    operations: {obstacles, lostRecords},
  },
}: View): Sample[] {
  const {disk, hasStoreFault} = obstacles;
  return [
    ...sampleOf({kind: 'disk_nearly_full', partition: ''}, disk && Number(disk.isNearlyFull)),
    ...sampleOf({kind: 'store_fault', partition: ''}, hasStoreFault === undefined ? undefined : Number(hasStoreFault)),
    ...sampleOf({kind: 'definitions_lost', partition: ''}, Number(lostRecords.warnings().length > 0)),
  ];
}

/** Alarms of partitions without an owner, and of owners that were taken for dead. With a nats-server of our own there are none. */
function clusterAlarms({front: {partitionCount, operations}}: View): Sample[] {
  const {unowned = [], hasReturned = false} = operations.cluster ?? {};
  return [
    ...Array.from({length: partitionCount}, (_, partition) => ({
      labels: {kind: 'partition_unowned', partition},
      value: Number(unowned.includes(partition)),
    })),
    {labels: {kind: 'membership_lost', partition: ''}, value: Number(hasReturned)},
  ];
}

/** Alarm of the names that the edge knows. */
const nameAlarms = ({
  front: {
    writes: {named},
  },
}: View): Sample[] => [{labels: {kind: 'event_names', partition: ''}, value: Number(named.names.isNearlyFull)}];

const lateAlerts = ({report}: View): Sample[] =>
  sampleOf({kind: 'alerts_late', partition: ''}, report && Number(report.alertsLateMs !== undefined));

function partitionAlarms({partitions}: View): Sample[] {
  return partitions.flatMap((answer, partition) => {
    if (answer === undefined) return [];
    const {alarms} = answer.partition;
    return alarmKinds.map((kind) => ({labels: {kind, partition}, value: Number(alarms.includes(kind))}));
  });
}

/** Alarms of damaged parts, found by the readers of parts: partitions and reports. */
function damageAlarms({partitions, report}: View): Sample[] {
  return partitions.flatMap((answer, partition) => {
    if (answer === undefined && report === undefined) return [];
    const count = (answer?.partition.damagedParts ?? 0) + (report?.damagedParts[partition] ?? 0);
    return [{labels: {kind: 'damaged_part', partition}, value: Number(count > 0)}];
  });
}

const service: readonly Family[] = [
  {
    name: 'millrace_build_info',
    type: 'gauge',
    help: 'The version of the service, and the commit that it was built from: 1.',
    read: () => [{labels: {version, commit}, value: 1}],
  },
  {
    name: 'millrace_up',
    type: 'gauge',
    help: 'Whether a role answers within a second: 1 or 0. Of the role deliver only while there are webhooks.',
    read: ({partitions, report, deliver, front}) => [
      {labels: {role: 'edge', partition: ''}, value: 1},
      ...partitions.map((answer, partition) => ({
        labels: {role: 'partition', partition},
        value: Number(answer !== undefined),
      })),
      {labels: {role: 'report', partition: ''}, value: Number(report !== undefined)},
      ...(front.kept.store.endpoints.list().length === 0
        ? []
        : [{labels: {role: 'deliver', partition: ''}, value: Number(deliver !== undefined)}]),
    ],
  },
  {
    name: 'millrace_ready',
    type: 'gauge',
    help: 'Whether /readyz answers 200; it names the reasons when it does not.',
    read: ({isReady}) => plain(Number(isReady)),
  },
  {
    name: 'millrace_durability_info',
    type: 'gauge',
    help: 'What an acknowledged event survives: power-cut or process-crash.',
    read: ({front}) => [{labels: {durability: front.operations.durability.class}, value: 1}],
  },
  {
    name: 'millrace_alarm',
    type: 'gauge',
    help: 'Conditions that need an operator: 1 while they last; gap, log_lost and membership_lost for a day, damaged_part until a restart.',
    read: (view) => [
      ...storeAlarms(view),
      ...lateAlerts(view),
      ...nameAlarms(view),
      ...clusterAlarms(view),
      ...partitionAlarms(view),
      ...damageAlarms(view),
    ],
  },
  {
    name: 'millrace_keys',
    type: 'gauge',
    help: 'API keys by kind and state.',
    read: ({front}) => {
      const records = front.kept.keys.ring.list();
      return keyKinds.flatMap((kind) =>
        (['active', 'revoked'] as const).map((state) => ({
          labels: {kind, state},
          value: records.filter((key) => key.kind === kind && (key.revokedMs === null) === (state === 'active')).length,
        })),
      );
    },
  },
];

const memberStates = ['up', 'leaving', 'silent'] as const;

/** No samples with a nats-server of our own. */
const cluster: readonly Family[] = [
  {
    name: 'millrace_members',
    type: 'gauge',
    help: 'Processes beside an external NATS that fold (partition), report, deliver or serve (edge): up, leaving, or silent (paused, cut off or dead).',
    read: ({front}) => {
      const members = front.operations.cluster?.members;
      return memberRoles.flatMap((role) =>
        memberStates.flatMap((state) =>
          sampleOf({role, state}, members?.filter((one) => one.role === role && one.state === state).length),
        ),
      );
    },
  },
  {
    name: 'millrace_partitions_owned',
    type: 'gauge',
    help: 'Partitions that a member owns which is not silent.',
    read: ({front}) => {
      const members = front.operations.cluster?.members.filter(
        ({role, state}) => role === 'partition' && state !== 'silent',
      );
      return sampleOf(
        {},
        members?.reduce((sum, {partitions}) => sum + partitions.length, 0),
      );
    },
  },
];

const alerts: readonly Family[] = [
  {
    name: 'millrace_alerts',
    type: 'gauge',
    help: 'Alerts that somebody defined, by state: ok, firing, paused, or new (not evaluated yet).',
    read: ({alerts: all}) => {
      if (all === undefined) return [];
      const states = all.map(({alert, state}) => (alert.isPaused ? 'paused' : (state?.state ?? 'new')));
      return (['ok', 'firing', 'paused', 'new'] as const).map((state) => ({
        labels: {state},
        value: states.filter((one) => one === state).length,
      }));
    },
  },
  {
    name: 'millrace_alert_state',
    type: 'gauge',
    help: 'An alert that is evaluated, by its id: 1 while it fires, else 0.',
    read: ({alerts: all = []}) =>
      all.flatMap(({alert: {id, isPaused}, state}) =>
        isPaused || state === undefined ? [] : [{labels: {alert: id}, value: Number(state.state === 'firing')}],
      ),
  },
];

const requests: readonly Family[] = [
  {
    name: 'millrace_http_requests_total',
    type: 'counter',
    help: 'Answered requests by route, method and status.',
    read: ({front}) => front.operations.traffic.requestCounts().map(({count, ...labels}) => ({labels, value: count})),
  },
  histogram('millrace_http_request_duration_seconds', 'From the headers of a request to its answer.', ({front}) =>
    front.operations.traffic.requestDurations().map(({route, durations}) => ({labels: {route}, of: durations})),
  ),
  {
    name: 'millrace_http_requests_open',
    type: 'gauge',
    help: 'Requests without an answer yet.',
    read: ({front}) => plain(front.operations.traffic.open),
  },
  {
    name: 'millrace_http_requests_unanswered_total',
    type: 'counter',
    help: 'Requests that ended without an answer: their client went away, or their framing was broken.',
    read: ({front}) => plain(front.operations.traffic.unanswered),
  },
  {
    name: 'millrace_refusals_total',
    type: 'counter',
    help: "Answers with an error, and refused events of a batch, by code; `of` tells clients from the dashboard's own pages.",
    read: ({
      front: {
        operations: {traffic},
      },
    }) => [...refusalSamples(traffic.refusals, 'clients'), ...refusalSamples(traffic.pageRefusals, 'pages')],
  },
];

const ingestion: readonly Family[] = [
  {
    name: 'millrace_events_total',
    type: 'counter',
    help: 'Events that clients sent: accepted (in the log), refused (invalid) or unavailable (the log did not take them).',
    read: ({front}) => outcomeSamples(front.operations.traffic.events),
  },
  {
    name: 'millrace_identifies_total',
    type: 'counter',
    help: 'Identify calls, by the same outcomes as events.',
    read: ({front}) => outcomeSamples(front.operations.traffic.identifies),
  },
  {
    name: 'millrace_links_total',
    type: 'counter',
    help: 'Links of an anonymousId to a userId that the log took: pairs that this edge had not seen before.',
    read: ({front}) => plain(front.writes.links?.acked.count ?? 0),
  },
  {
    name: 'millrace_events_ahead_total',
    type: 'counter',
    help: 'Valid events whose time lies more than 5 minutes ahead of their receipt.',
    read: ({front}) => plain(front.operations.traffic.clocks.ahead),
  },
  {
    name: 'millrace_events_corrected_total',
    type: 'counter',
    help: 'Valid events whose time was moved back, as their sentAt was ahead of its receipt.',
    read: ({front}) => plain(front.operations.traffic.clocks.corrected),
  },
  {
    name: 'millrace_ignored_fields_total',
    type: 'counter',
    help: 'Fields of events and identify calls that nobody reads, by well-known names.',
    read: ({front}) =>
      ignoredFieldLabels.map((field, at) => ({labels: {field}, value: front.operations.traffic.ignoredFields[at]!})),
  },
  {
    name: 'millrace_compatible_ignored_total',
    type: 'counter',
    help: "Calls of other services' libraries of which something was left out, because nothing here has a place for it.",
    read: ({front}) =>
      kindsOfCalls.map(({vendor, kind}) => ({
        labels: {vendor, call: kind},
        value: front.operations.traffic.ignoredCalls.get(`${vendor} ${kind}`)!,
      })),
  },
  {
    name: 'millrace_event_names_known',
    type: 'gauge',
    help: 'Names of events that this edge knows, over all partitions; a lower bound until it has read them all.',
    read: ({front}) => plain(front.writes.named.names.count),
  },
  {
    name: 'millrace_event_names_max',
    type: 'gauge',
    help: 'Bound of their number: EVENT_NAMES_MAX.',
    read: ({front}) => plain(front.writes.named.names.max),
  },
  histogram(
    'millrace_ack_duration_seconds',
    'From the first entry of a log message to the ack of a log that has it on disk.',
    ({front}) => [{labels: {}, of: front.operations.traffic.acks}],
  ),
  histogram('millrace_log_message_bytes', 'Size of log messages.', ({front}) => [
    {labels: {}, of: front.operations.traffic.messageBytes},
  ]),
  histogram('millrace_log_message_entries', 'Entries that one log message carries.', ({front}) => [
    {labels: {}, of: front.operations.traffic.messageEntries},
  ]),
  {
    name: 'millrace_log_messages_total',
    type: 'counter',
    help: 'Log messages by outcome: stored, or unavailable (refused, given up, never sent).',
    read: ({
      front: {
        operations: {traffic},
      },
    }) => [
      {labels: {outcome: 'stored'}, value: traffic.messages.stored},
      {labels: {outcome: 'unavailable'}, value: traffic.messages.unavailable},
    ],
  },
  {
    name: 'millrace_log_messages_resent_total',
    type: 'counter',
    help: 'Log messages that were sent again because no answer came.',
    read: ({front}) => plain(front.operations.traffic.messages.sentAgain),
  },
  {
    name: 'millrace_bytes_in_flight',
    type: 'gauge',
    help: 'Bytes that wait: for the log, for those who fold, of bodies that are not whole yet, announced ones before they begin, of answers that nobody reads.',
    read: ({front}) => [
      {labels: {where: 'log'}, value: front.writes.publisher.bytesPending},
      {labels: {where: 'fold'}, value: front.writes.foldLag.bytes()},
      {labels: {where: 'bodies'}, value: unfinishedBodyBytes()},
      {labels: {where: 'intake'}, value: front.writes.intake.waitingBytes},
      {labels: {where: 'answers'}, value: answerBytesInFlight()},
    ],
  },
  {
    name: 'millrace_bytes_in_flight_max',
    type: 'gauge',
    help: 'Past these bytes requests wait, or are refused with 503.',
    read: () => [
      {labels: {where: 'log'}, value: publisherBytesMax},
      {labels: {where: 'fold'}, value: foldLagBytesMax},
      {labels: {where: 'bodies'}, value: unfinishedBytesMax},
      {labels: {where: 'intake'}, value: waitingBytesMax},
      {labels: {where: 'answers'}, value: answerBytesMax},
    ],
  },
];

const seconds = (ms: number | null | undefined): number | undefined => (ms == null ? undefined : ms / 1_000);

const partitions: readonly Family[] = [
  ofPartition(
    'gauge',
    'millrace_partition_lag_messages',
    'Messages in the log that are not folded yet.',
    (p) => p.lagMessages,
  ),
  ofPartition('gauge', 'millrace_partition_lag_seconds', 'How far the fold is behind the log.', (p) =>
    seconds(p.lagMs),
  ),
  ofPartition('gauge', 'millrace_snapshot_age_seconds', 'Age of what the newest published snapshot includes.', (p) =>
    seconds(p.snapshot?.ageMs),
  ),
  ofPartition(
    'gauge',
    'millrace_snapshot_duration_seconds',
    'From the cut to the manifest, of the newest snapshot.',
    (p) => seconds(p.snapshotMs),
  ),
  ofPartition('counter', 'millrace_snapshots_total', 'Snapshots published.', (p) => p.snapshots),
  ofPartition(
    'gauge',
    'millrace_snapshot_sequence',
    'Position of the newest snapshot in its log.',
    (p) => p.snapshot?.sequence,
  ),
  ofPartition(
    'gauge',
    'millrace_log_generation',
    'Goes up when a log turns out to have lost messages.',
    (p) => p.generation,
  ),
  {
    name: 'millrace_events_folded_total',
    type: 'counter',
    help: 'Events by what became of them in their partition: counted, duplicate (same messageId), erased (a late copy) or expired (RETENTION_DAYS).',
    read: (view) => foldedSamples(view, 'events'),
  },
  {
    name: 'millrace_identifies_folded_total',
    type: 'counter',
    help: 'Identify calls, by the same outcomes.',
    read: (view) => foldedSamples(view, 'identifies'),
  },
  {
    name: 'millrace_joins_total',
    type: 'counter',
    help: 'Anonymous users by what links made of them: joined to a user, shared by two users, or too_large to be joined.',
    read: ({partitions}) =>
      partitions.flatMap((answer, partition) =>
        Object.entries(answer?.partition.joins ?? {}).map(([outcome, value]) => ({
          labels: {partition, outcome},
          value,
        })),
      ),
  },
  ofPartition(
    'gauge',
    'millrace_join_candidates',
    'Anonymous users who are linked to a user and whose events are not with it yet.',
    (p) => p.moves.candidates,
  ),
  ofPartition(
    'gauge',
    'millrace_moves_pending',
    'Groups of joined users that no published snapshot of their destination has yet.',
    (p) => p.moves.pending,
  ),
  ofPartition(
    'gauge',
    'millrace_moves_waiting_seconds',
    'Since the oldest of these waits for the log of its destination; 0: none waits.',
    (p) => seconds(p.moves.waitedMs),
  ),
  ofPartition(
    'counter',
    'millrace_events_conflicting_total',
    'Duplicates that were no retries: events or identify calls with the messageId of another one before.',
    (p) => p.conflicts,
  ),
  ofPartition(
    'counter',
    'millrace_log_messages_redelivered_total',
    'Messages that stood in the log twice and were folded once.',
    (p) => p.redelivered,
  ),
  ofPartition(
    'counter',
    'millrace_producer_gaps_total',
    'Numbers that a producer skipped: messages that the log lacks.',
    (p) => p.gaps,
  ),
  {
    name: 'millrace_damaged_parts_total',
    type: 'counter',
    help: 'Parts that a role could not read: what needs them is answered 503.',
    read: ({partitions, report}) =>
      partitions.flatMap((answer, partition) => [
        ...sampleOf({role: 'partition', partition}, answer?.partition.damagedParts),
        ...sampleOf({role: 'report', partition}, report && (report.damagedParts[partition] ?? 0)),
      ]),
  },
  ofPartition(
    'counter',
    'millrace_log_losses_total',
    'Times that the log had lost messages which were folded.',
    (p) => p.logLosses,
  ),
  ofPartition('gauge', 'millrace_users', 'Users known.', (p) => p.users),
  ofPartition('gauge', 'millrace_event_names', 'Event names known.', (p) => p.names),
  ofPartition('gauge', 'millrace_profiles_active', 'Profiles in memory.', (p) => p.profiles),
  ofDictionary(
    'millrace_dictionary_entries',
    'Entries of what clients can make grow; names are counted in samples, to 10,000.',
    (d) => d.entries,
  ),
  ofDictionary(
    'millrace_dictionary_alarm_ratio',
    'Its size, as a share of that at which the alarm `dictionaries` begins.',
    ({size, alarmAt}) => size / alarmAt,
  ),
  ofPartition('gauge', 'millrace_dedupe_ids', 'Message ids remembered.', (p) => p.dedupe.ids),
  ofPartition('gauge', 'millrace_dedupe_bytes', 'Memory of remembered message ids.', (p) => p.dedupe.bytes),
  ofPartition(
    'gauge',
    'millrace_dedupe_bytes_max',
    'Bound of that memory: a share of DEDUPE_MEMORY_MIB.',
    (p) => p.dedupe.bytesMax,
  ),
  ofPartition(
    'gauge',
    'millrace_dedupe_window_seconds',
    'Operating time back to which every message id is remembered.',
    (p) => seconds(p.dedupe.windowMs),
  ),
  ofPartition(
    'gauge',
    'millrace_erased_ids',
    'Message ids of deleted events, remembered for 30 days of operation.',
    (p) => p.dedupe.erasedIds,
  ),
  ofPartition('gauge', 'millrace_erased_ids_bytes', 'Memory of these.', (p) => p.dedupe.erasedBytes),
  ofPartition('gauge', 'millrace_funnel_bytes', 'Memory of progress in saved funnels.', (p) => p.funnels.bytes),
  ofPartition(
    'gauge',
    'millrace_funnel_bytes_max',
    'Bound of that memory: a share of FUNNEL_MEMORY_MIB.',
    (p) => p.funnels.bytesMax,
  ),
  ofPartition(
    'gauge',
    'millrace_funnel_late_users',
    'Users whose progress does not fit in it: their completions are found with the next snapshot.',
    (p) => p.funnels.lateUsers,
  ),
  ofPartition(
    'gauge',
    'millrace_expired_bytes_pending',
    'Bytes of stored chunks that expired events are still to leave (RETENTION_DAYS).',
    (p) => p.expiredBytesPending,
  ),
  ofPartition('gauge', 'millrace_erasures_pending', 'Deletions without a receipt yet.', (p) => p.deletions.pending),
  ofPartition(
    'gauge',
    'millrace_erasure_oldest_pending_seconds',
    'Since the oldest pending deletion was taken up, by this process.',
    (p) => seconds(p.deletions.oldestPendingMs),
  ),
  ofPartition('counter', 'millrace_erasures_completed_total', 'Receipts given.', (p) => p.deletions.completed),
];

const report: readonly Family[] = [
  {
    name: 'millrace_report_age_seconds',
    type: 'gauge',
    help: 'Age of what every report includes: the oldest partition counts.',
    read: (view) => {
      const asOfMs = view.report?.asOfMs;
      return sampleOf({}, asOfMs == null ? undefined : seconds(Math.max(0, view.front.wallMs() - asOfMs)));
    },
  },
];

/** One sample for each webhook; its id is the service's own, and there are at most 100. */
function ofWebhook(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  read: (health: EndpointHealth, endpoint: Endpoint, nowMs: number) => readonly Sample[],
): Family {
  const samples = ({webhooks: known = [], front}: View): Sample[] =>
    known.flatMap(({endpoint, health}) =>
      read(health, endpoint, front.wallMs()).map(({labels, value}) => ({
        labels: {webhook: endpoint.id, ...labels},
        value,
      })),
    );
  return {name, type, help, read: samples};
}

const webhooks: readonly Family[] = [
  ofWebhook('gauge', 'millrace_webhook_state', 'What a webhook is now.', (health, {state}) =>
    ['active', 'probed', 'paused', 'disabled'].map((one) => ({
      labels: {state: one},
      value: Number((state === 'active' && isProbed(health) ? 'probed' : state) === one),
    })),
  ),
  ofWebhook(
    'gauge',
    'millrace_webhook_lag_seconds',
    'How long the oldest event that a webhook was not sent has waited.',
    (health, endpoint, nowMs) => sampleOf({}, seconds(lagMsOf(endpoint, health, nowMs))),
  ),
  ofWebhook('counter', 'millrace_webhook_attempts_total', 'Attempts by outcome.', ({delivered, failed}) => [
    {labels: {outcome: 'delivered'}, value: delivered},
    {labels: {outcome: 'failed'}, value: failed},
  ]),
  ofWebhook('counter', 'millrace_webhook_dead_total', 'Messages that nobody took in ten attempts.', ({dead}) =>
    plain(dead),
  ),
  ofWebhook(
    'counter',
    'millrace_webhook_skipped_events_total',
    'Events that were passed over, as they had waited for a day.',
    ({skippedEvents}) => plain(skippedEvents),
  ),
];

const threads: readonly Family[] = [
  ofThread(
    'gauge',
    'millrace_thread_memory_bytes',
    'Memory by thread and kind; process_rss is that of the whole process, told by each of its threads.',
    ({memory}) => Object.entries(memory).map(([kind, value]) => ({labels: {kind}, value})),
  ),
  ofThread(
    'gauge',
    'millrace_event_loop_delay_seconds',
    'How much later than due timers ran, over the last 30 to 60 s.',
    ({loopDelayMs: {p50, p99, max}}) => [
      {labels: {stat: 'p50'}, value: p50 / 1_000},
      {labels: {stat: 'p99'}, value: p99 / 1_000},
      {labels: {stat: 'max'}, value: max / 1_000},
    ],
  ),
  ofThread('gauge', 'millrace_parts_cache_bytes', 'Parts of snapshots in memory.', ({caches}) =>
    caches.map(({use, bytes}) => ({labels: {use}, value: bytes})),
  ),
  ofThread(
    'gauge',
    'millrace_parts_cache_bytes_max',
    'Bound of that memory: a share of MEMORY_CACHE_MIB; for live reads and the fold with what reports do not use of theirs.',
    ({caches}) => caches.map(({use, bytesMax}) => ({labels: {use}, value: bytesMax})),
  ),
  ofThread(
    'gauge',
    'millrace_report_index_builds',
    'Indexes for reports that are being built or wait for it: a question asked again is at its fastest when there are none.',
    ({builds}) => (builds === undefined ? [] : [{labels: {}, value: builds}]),
  ),
  {
    name: 'millrace_reports',
    type: 'gauge',
    help: 'Questions to reports by state: running, or waiting for the turn of their caller.',
    read: ({report}) =>
      Object.entries(report?.atWork ?? {}).map(([state, value]) => ({labels: {state}, value: value as number})),
  },
  ofThread('gauge', 'millrace_nats_connected', 'Whether a connection to NATS is up and answers.', ({connections}) =>
    connections.map(({name, isConnected}) => ({labels: {connection: name}, value: Number(isConnected)})),
  ),
  ofThread('counter', 'millrace_nats_reconnects_total', 'Times that a connection to NATS came back.', ({connections}) =>
    connections.map(({name, reconnects}) => ({labels: {connection: name}, value: reconnects})),
  ),
];

const natsServer: readonly Family[] = [
  {
    name: 'millrace_nats_server_up',
    type: 'gauge',
    help: 'Whether our own nats-server runs; absent for an external one.',
    read: (view) => sampleOf({}, view.natsServer && Number(view.natsServer.isRunning)),
  },
  {
    name: 'millrace_nats_server_restarts_total',
    type: 'counter',
    help: 'Times that our own nats-server was started again.',
    read: (view) => sampleOf({}, view.natsServer?.restarts),
  },
  {
    name: 'millrace_nats_server_resident_memory_bytes',
    type: 'gauge',
    help: 'Resident memory of our own nats-server.',
    read: (view) => sampleOf({}, view.natsServer?.residentBytes),
  },
];

const disk: readonly Family[] = [
  {
    name: 'millrace_disk_free_bytes',
    type: 'gauge',
    help: 'Room on the disk of DATA_DIR; absent for an external NATS.',
    read: ({front}) => sampleOf({}, front.operations.obstacles.disk?.freeBytes),
  },
  {
    name: 'millrace_disk_reserve_bytes',
    type: 'gauge',
    help: 'With less room than this, writes are refused.',
    read: ({front}) => sampleOf({}, front.operations.obstacles.disk?.refuseBytes),
  },
];

/** Names and meanings of prom-client, which dashboards of Node programs know. Memory and delays by thread are above. */
const ofProcess: readonly Family[] = [
  {
    name: 'process_cpu_user_seconds_total',
    type: 'counter',
    help: 'CPU time of the process, without that of the kernel for it.',
    read: ({process}) => plain(process.userCpuSeconds),
  },
  {
    name: 'process_cpu_system_seconds_total',
    type: 'counter',
    help: 'CPU time of the kernel for the process.',
    read: ({process}) => plain(process.systemCpuSeconds),
  },
  {
    name: 'process_cpu_seconds_total',
    type: 'counter',
    help: 'CPU time of the process, and of the kernel for it.',
    read: ({process}) => plain(process.userCpuSeconds + process.systemCpuSeconds),
  },
  {
    name: 'process_start_time_seconds',
    type: 'gauge',
    help: 'Start of the process, in Unix time.',
    read: ({process}) => plain(process.startSeconds),
  },
  {
    name: 'process_resident_memory_bytes',
    type: 'gauge',
    help: 'Resident memory of the process.',
    read: ({process}) => plain(process.residentBytes),
  },
  {
    name: 'process_open_fds',
    type: 'gauge',
    help: 'Open files and connections of the process; absent where the system does not tell.',
    read: ({process}) => sampleOf({}, process.openFiles),
  },
  {
    name: 'process_max_fds',
    type: 'gauge',
    help: 'Bound of the open files and connections; absent where the system does not tell.',
    read: ({process}) => sampleOf({}, process.openFilesMax),
  },
  {
    name: 'nodejs_version_info',
    type: 'gauge',
    help: 'The version of Node: 1.',
    read: () => [{labels: {version: process.version}, value: 1}],
  },
  histogram(
    'nodejs_gc_duration_seconds',
    'Collections of garbage in the thread of the edge, by kind: minor, major, incremental or weakcb.',
    ({process}) => Object.entries(process.collections).map(([kind, of]) => ({labels: {kind}, of})),
  ),
];

export const families: readonly Family[] = [
  ...service,
  ...cluster,
  ...alerts,
  ...requests,
  ...ingestion,
  ...partitions,
  ...report,
  ...webhooks,
  ...threads,
  ...natsServer,
  ...disk,
  ...ofProcess,
];
