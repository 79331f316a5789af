// Whether every partition and the report role can work (GET /readyz). A damaged part is a warning, not a reason: only requests
// that need it fail, and another machine would have the same part.
import {isoText} from '../../actors/calendar.js';
import type {StatusAnswer} from '../asks/partition.js';
import type {ReportAnswer} from '../asks/report.js';
import type {RefreshChange} from '../refresh.js';
import {RequestFailure} from './failure.js';
import type {Front, Readiness} from './front.js';

// A load balancer asks every few seconds: it must get "no" rather than no answer.
const statusMsMax = 1_000;

const nothing: Readiness = {reasons: [], warnings: [], notes: []};

/** Readiness of a service that stops: no role is asked. */
export const stopping: Promise<Readiness> = Promise.resolve({...nothing, reasons: ['the service is stopping']});

/** Asking all roles takes 0.7 ms of CPU, and the route needs no key; load balancers ask every few seconds. */
export const readinessKeptMs = 250;

/** Resolves within a second. */
export async function readinessOf(front: Front): Promise<Readiness> {
  if (front.operations.isDraining()) return stopping;
  const partitions = Array.from({length: front.partitionCount}, (_, partition) => partitionReadiness(front, partition));
  const all = await Promise.all([...partitions, reportReadiness(front)]);
  return {
    reasons: [
      ...front.operations.obstacles.reasons(),
      ...front.kept.fixedKeys.reasons(),
      ...all.flatMap(({reasons}) => reasons),
    ],
    warnings: [
      ...front.kept.fixedKeys.warnings(),
      ...front.operations.lostRecords.warnings(),
      ...all.flatMap(({warnings}) => warnings),
    ],
    // All partitions have the same notes.
    notes: [...new Set(all.flatMap(({notes}) => notes))],
  };
}

async function partitionReadiness(
  {reads: {asks, generations}, operations: {cluster}}: Front,
  partition: number,
): Promise<Readiness> {
  const name = `partition ${partition}`;
  const status = await orSilence(asks.partition(partition, {ask: 'status'}, ['status'], statusMsMax));
  if (status === undefined) {
    const why = cluster?.unowned.includes(partition) ? ': no process owns it' : '';
    return because(`${name} does not answer${why}`);
  }
  const reason = whyNot(status) ?? (generations.isKnown(partition) ? undefined : unknownGeneration);
  return {
    reasons: reason === undefined ? [] : [`${name}${reason}`],
    warnings: status.damagedParts > 0 ? [damageWarning(name, status.damagedParts)] : [],
    notes: status.refreshChange === null ? [] : [refreshNote(status.refreshChange)],
  };
}

/** A reason that ends by itself: the partition folds what its log has. */
export const isCatchingUp = (reason: string): boolean =>
  /^partition \d+(?:: it is behind its log| is recovering| has not published a snapshot yet)$/.test(reason);

/** Writes are answered without a position until the log's generation is known (log-generations.ts). */
const unknownGeneration = ' has not reported the generation of its log yet';

/** The reason, as it follows the partition's name; undefined when the partition is ready. */
function whyNot({appendFault, phase, published, lag}: StatusAnswer): string | undefined {
  if (appendFault) return ` cannot append to its log: ${appendFault}`;
  if (phase !== 'live') return ` is ${phase}`;
  if (published === null) return ' has not published a snapshot yet';
  return lag === null ? undefined : `: ${lag}`;
}

const reportReadiness = async ({reads: {asks}}: Front): Promise<Readiness> =>
  readinessOfReports(await orSilence(asks.reportState({ask: 'status'}, statusMsMax)));

/** `status`: undefined for a role that does not answer. */
export function readinessOfReports(status: ReportAnswer | undefined): Readiness {
  if (status?.kind !== 'status') return because('reports do not answer');
  const warnings = Object.entries(status.damagedParts).map(([partition, count]) =>
    damageWarning(`reports of partition ${partition}`, count),
  );
  const {alertsLateMs: lateMs, ready, asOfMs, outdated = []} = status;
  const reasons: string[] = [];
  if (outdated.length > 0) (ready ? warnings : reasons).push(disagreement(outdated, asOfMs));
  else if (!ready) reasons.push('reports have not loaded a snapshot of every partition yet');
  const late = lateMs === undefined ? [] : [`alerts are late: a publication has waited for ${secondsOf(lateMs)} s`];
  return {...nothing, reasons: [...reasons, ...late], warnings};
}

function disagreement(outdated: readonly number[], asOfMs: number | null): string {
  const partitions = `${outdated.length === 1 ? 'partition' : 'partitions'} ${outdated.join(', ')}`;
  const answers = asOfMs === null ? 'are answered 503' : `stay as of ${isoText(asOfMs)}, and some are answered 503`;
  return `reports ${answers}: the newest snapshot of ${partitions} does not agree with the others on which users moved`;
}

const secondsOf = (ms: number): number => Math.round(ms / 1_000);

const because = (reason: string): Readiness => ({...nothing, reasons: [reason]});

const refreshNote = ({fromMs, toMs, atMs}: RefreshChange): string =>
  `reports refresh every ${fromMs / 1_000} s until ${isoText(atMs)}, then every ${toMs / 1_000} s`;

const damageWarning = (name: string, count: number): string =>
  `${name}: ${count} ${count === 1 ? 'part' : 'parts'} cannot be read: requests that need them are answered 503`;

/** Resolves with undefined for a role that does not answer. */
export async function orSilence<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RequestFailure) return undefined;
    throw error;
  }
}
