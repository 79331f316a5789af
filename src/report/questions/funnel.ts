import {funnelAnswer} from '../../../actors/report/answers.js';
import {FunnelPartial, type FunnelResult, mergeFunnels} from '../../../actors/report/funnel/funnel.js';
import {PostedFunnel} from '../../../actors/report/funnel/posted-funnel.js';
import type {Stretch} from '../../../actors/report/selection.js';
import type {PlainFunnel} from '../../asks/funnels.js';
import type {QueryOf} from '../../asks/report.js';
import type {GatherPostings} from '../funnel/funnel-index.js';
import {kernelMemory} from '../funnel/funnel-kernel.js';
import {selectorsMax} from '../operators/chosen-postings.js';
import {gatheredPostings} from '../operators/gathered-postings.js';
import {nameIndex} from '../operators/name-index.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {gatheredBytesOf, gatheredRowsMax, type Reading} from '../reading.js';
import {plainFunnel} from '../stored-answers.js';
import {walkedFunnel} from './walked-funnel.js';

/** A funnel of plain steps over the events of a stretch. */
type PlainFunnelOf = PlainFunnel & {readonly stretch: Stretch};

/** @throws MissingPart, DamagedPart, BeyondMemory */
export async function funnel(
  reading: Reading,
  query: QueryOf<'funnel'>,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const plain = plainFunnel(query);
  if (plain === undefined) return walkedFunnel(reading, query, snapshots);
  const results: FunnelResult[] = [];
  const asked = {...plain, stretch: {startMs: query.fromMs, lastMs: query.toMs}};
  try {
    for (const snapshot of snapshots) results.push(await funnelOf(reading, asked, snapshot)); // EV1
    return funnelAnswer(plain.steps, mergeFunnels(plain.steps.length, results));
  } finally {
    for (const {durations} of results) for (const list of durations) reading.lists.giveBack(list);
  }
}

async function funnelOf(reading: Reading, query: PlainFunnelOf, snapshot: PartitionSnapshot): Promise<FunnelResult> {
  const stepNames = query.steps.map((event) => nameIndex(snapshot, event));
  const asked = {names: new Set(stepNames.filter((name) => name >= 0)), stretch: query.stretch};
  const segments = await reading.fast.funnels?.postingsOf(
    snapshot,
    asked,
    gathererOf(reading, snapshot, asked.names),
    reading.scan.slices,
  );
  if (segments === undefined) return scannedFunnel(reading, query, stepNames, snapshot);
  const {progress, lists} = reading;
  const hasLeft = snapshot.leftOut.users;
  const funnel = new PostedFunnel(segments, stepNames, asked.stretch, windowOf(query), progress, lists, hasLeft);
  await reading.scan.inSlices(funnel.walk());
  return funnel;
}

/** Gathers postings of these names out of rows. */
function gathererOf(
  reading: Reading,
  snapshot: PartitionSnapshot,
  asked: ReadonlySet<number>,
): GatherPostings | undefined {
  if (asked.size > selectorsMax) return undefined;
  const names = [...asked];
  const selectors = names.map((name) => ({event: snapshot.names.text(name)}));
  const nameCount = snapshot.index.names.count;
  return (chunks, rankStart) =>
    gatheredPostings(reading, snapshot, {chunks, selectors, names, nameCount, rankStart}, kernelMemory);
}

async function scannedFunnel(
  reading: Reading,
  query: PlainFunnelOf,
  stepNames: readonly number[],
  {index, leftOut}: PartitionSnapshot,
): Promise<FunnelResult> {
  const partial = new FunnelPartial(index, stepNames, query.stretch, windowOf(query), gatheredRowsMax(reading));
  const chunks = partial.chunks(index);
  if (chunks.length === 0) return partial;
  await reading.scan.borrowing(gatheredBytesOf(reading, chunks), () =>
    reading.scan.passes(partial, chunks, leftOut.users, stepNames),
  );
  return partial;
}

const windowOf = ({windowMs}: Pick<PlainFunnel, 'windowMs'>): number => windowMs ?? Number.POSITIVE_INFINITY;
