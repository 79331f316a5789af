// Starts alerts beside the report thread: connects them, and measures the lags that rules watch.
import {jetstream} from '@nats-io/jetstream';
import {type NatsConnection, RequestError, TimeoutError} from 'nats';
import {must} from '../../actors/invariant.js';
import type {FiguresAnswer, FiguresQuestion} from '../asks/figures.js';
import type {PartitionAnswer} from '../asks/partition.js';
import type {ReportAnswer, ReportQuery, ReportQuestion} from '../asks/report.js';
import {askFiguresSubject, askPartitionSubject} from '../asks/subjects.js';
import {monotonicMs, wallMs} from '../clock.js';
import {digestsOf} from '../digests/definition.js';
import {type Digested, Digests} from '../digests/digests.js';
import {boardsOf, isReportTile} from '../kept/board.js';
import {KeptStore} from '../kept/kept-store.js';
import {sweepRecords} from '../kept/record-sweep.js';
import {savedFunnelsOf} from '../kept/saved-funnel.js';
import {savedReportsOf} from '../kept/saved-report.js';
import {segmentsOf} from '../kept/segment.js';
import {NatsKeyBucket} from '../nats/key-bucket.js';
import {pack, unpack} from '../nats/packed.js';
import {readDeployment} from '../nats/topology.js';
import type {Logger} from '../observe.js';
import {promised} from '../promised.js';
import {lagMsOf} from '../webhooks/endpoint-health.js';
import {publishTrigger} from '../webhooks/outbox.js';
import {readHealths} from '../webhooks/stored-health.js';
import {messageId} from '../webhooks/trigger.js';
import {alertsOf} from './alert-states.js';
import {AlertWatch} from './alert-watch.js';
import {stallAudienceOf, stateAudienceOf} from './audience.js';
import {type LagKind, stateName} from './definition.js';
import {AlertEvaluator} from './evaluator.js';
import {Revisions} from './revisions.js';
import {Stalls} from './stalls.js';

/** Time limit of a partition's measures, as in /metrics. */
const measuresMsMax = 1_000;

interface AlertOptions {
  readonly nc: NatsConnection;
  readonly partitionCount: number;
  /** Whether this process evaluates them now. */
  readonly isOwner: () => boolean;
  /** Asks the report role. Never rejects. */
  readonly ask: (question: Extract<ReportQuestion, {ask: 'report' | 'status'}>) => Promise<ReportAnswer>;
  /** Time between publications; it may change. */
  readonly refresh: {readonly ms: number};
  /** Address of the dashboard in messages; undefined: they have no links. */
  readonly dashboardUrl: string | undefined;
  readonly logger: Logger;
}

export interface RunningAlerts {
  notePublished(): void;
  /** How long a publication has waited to be judged, ms, while alerts are late (alert-watch.ts AW2). */
  lateMs(): number | undefined;
  /** Resolves when no pass runs any more. */
  stop(): Promise<void>;
}

export async function startAlerts(options: AlertOptions): Promise<RunningAlerts> {
  const {nc, isOwner, ask, refresh, dashboardUrl, logger} = options;
  const {secret} = must(await readDeployment(nc), 'alerts: the deployment has a record');
  const bucket = new NatsKeyBucket(nc, 'hooks');
  const store = await promised('the definitions of the bucket KV_hooks', KeptStore.open(bucket, wallMs), {logger});
  const alerts = alertsOf(store);
  const funnels = savedFunnelsOf(store);
  const segments = segmentsOf(store);
  const js = jetstream(nc);
  const evaluator = new AlertEvaluator({
    alerts: () => alerts.list(),
    ...stateAudienceOf(store),
    funnel: (id) => funnels.get(id),
    segment: (id) => segments.get(id),
    ask: (query, at) => ask({ask: 'report', query, ...(at === undefined ? {} : {at})}),
    lag: (of) => lagOf(of, store, options),
    bucket,
    publish: (endpoint, trigger) => publishTrigger(js, endpoint, trigger),
    messageId: (...parts) => messageId(secret, ...parts),
    wallMs,
    logger,
  });
  const bodyOf = async (query: ReportQuery, at: string): Promise<unknown> => {
    const answer = await ask({ask: 'report', query, at});
    return answer.kind === 'report' ? JSON.parse(answer.body!) : undefined;
  };
  const stalls = new Stalls({
    alerts: () => alerts.list(),
    ...stallAudienceOf(store),
    funnel: (id) => funnels.get(id),
    bodyOf,
    bucket,
    publish: (endpoint, trigger) => publishTrigger(js, endpoint, trigger),
    messageId: (...parts) => messageId(secret, ...parts),
    logger,
  });
  const revisions = new Revisions({
    subscribed: () => revisedNames(store),
    bodyOf,
    hasEndpoint: (id) => store.endpoints.get(id) !== undefined,
    bucket,
    publish: (endpoint, trigger) => publishTrigger(js, endpoint, trigger),
    messageId: (...parts) => messageId(secret, ...parts),
    logger,
  });
  const digests = new Digests({
    digests: () => digestsOf(store).list(),
    digested: (id) => digestedIn(store, id),
    subscribers: (name) => store.wants('report.digest', name).map(({id}) => id),
    figures: (question) => figuresOf(nc, question),
    dashboardUrl,
    hasEndpoint: (id) => store.endpoints.get(id) !== undefined,
    bucket,
    publish: (endpoint, trigger) => publishTrigger(js, endpoint, trigger),
    messageId: (...parts) => messageId(secret, ...parts),
    wallMs,
    logger,
  });
  const isNeeded = (): boolean =>
    alerts.list().length > 0 || digests.isNeeded || revisions.isNeeded || evaluator.hasRecords || stalls.hasRecords;
  const sweep = async (): Promise<void> => {
    await sweepRecords(bucket, stateName('*'), (id) => store.get(id) !== undefined);
    await revisions.sweep();
  };
  const watch = new AlertWatch({
    evaluator,
    stalls,
    revisions,
    digests,
    isOwner,
    sweep,
    isNeeded,
    refresh,
    monotonicMs,
    logger,
  });
  return {
    notePublished: () => watch.notePublished(),
    lateMs: () => watch.lateMs,
    stop: async () => {
      await watch.stop();
      store.stop();
    },
  };
}

/** The report or the board. A report is a board of one. */
function digestedIn(store: KeptStore, id: string): Digested | undefined {
  const report = savedReportsOf(store).get(id);
  if (report !== undefined) return {name: report.name, reports: [report]};
  const board = boardsOf(store).get(id);
  return board && {name: board.name, reports: board.tiles.filter(isReportTile)};
}

/** A comparison reads two ranges, each by a scan at worst. */
const figuresMsMax = 30_000;

/** Undefined: no edge answers. */
async function figuresOf(nc: NatsConnection, question: FiguresQuestion): Promise<FiguresAnswer | undefined> {
  try {
    const answer = await nc.request(askFiguresSubject, pack(question), {timeout: figuresMsMax});
    return unpack<FiguresAnswer>(answer.data);
  } catch (error) {
    if (error instanceof RequestError || error instanceof TimeoutError) return undefined;
    throw error;
  }
}

/** Ids of the endpoints that subscribe to revisions, by name of the event. */
function revisedNames(store: KeptStore): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, string[]>();
  for (const {id, types} of store.wants('report.revised')) {
    const names = types.flatMap(({type, names: named = []}) => (type === 'report.revised' ? named : []));
    for (const name of new Set(names)) all.set(name, [...(all.get(name) ?? []), id]);
  }
  return all;
}

/** A lag in seconds; undefined while it is unknown. */
async function lagOf(
  of: LagKind,
  store: KeptStore,
  {nc, partitionCount, ask}: AlertOptions,
): Promise<number | undefined> {
  switch (of) {
    case 'report': {
      const status = await ask({ask: 'status'});
      return status.kind === 'status' && status.asOfMs !== null ? (wallMs() - status.asOfMs) / 1_000 : undefined;
    }
    case 'partition':
      return greatest(await measuresOf(nc, partitionCount), ({lagMs}) => lagMs);
    case 'deletion':
      return greatest(await measuresOf(nc, partitionCount), ({deletions}) => deletions.oldestPendingMs);
    case 'webhook':
      return webhookLag(store);
  }
}

/** Largest lag of an active endpoint, in seconds. */
async function webhookLag(store: KeptStore): Promise<number> {
  const nowMs = wallMs();
  const active = (await readHealths(store)).filter(({endpoint}) => endpoint.state === 'active');
  return Math.max(0, ...active.map(({endpoint, health}) => lagMsOf(endpoint, health, nowMs))) / 1_000;
}

type Measures = Extract<PartitionAnswer, {kind: 'measures'}>['partition'];

/** Measures of the partitions that answer. The age of reports shows one that does not. */
async function measuresOf(nc: NatsConnection, partitionCount: number): Promise<readonly Measures[]> {
  const question = pack({ask: 'measures'});
  const asked = Array.from({length: partitionCount}, async (_, partition) => {
    const answer = await nc.request(askPartitionSubject(partition), question, {timeout: measuresMsMax});
    return unpack<PartitionAnswer>(answer.data);
  });
  const answers = await Promise.allSettled(asked);
  return answers.flatMap((one) =>
    one.status === 'fulfilled' && one.value.kind === 'measures' ? [one.value.partition] : [],
  );
}

const greatest = (all: readonly Measures[], read: (one: Measures) => number): number | undefined =>
  all.length === 0 ? undefined : Math.max(...all.map(read)) / 1_000;
