// A piece of snapshots: the newest run of windows merged with that of the days before.

import {crc32} from 'node:zlib';
import {WindowDeltas} from '../../actors/aggregator/window-deltas.js';
import {encodeWindows, viewWindows} from '../../actors/aggregator/windows.js';
import type {EncodedBlock, PartRef, Run} from '../../actors/manifest.js';
import {TimeSlicer} from '../../src/pacing/time-slicer.js';
import {appendWindowRun} from '../../src/partition/snapshot/compaction.js';
import {dayMs} from '../workload/events.js';
import {type Piece, sumOf, told} from './piece.js';

const pastDays = 90;
/** A run is merged once it has a quarter of the bytes of the one before. */
const newDays = 30;
const nobody: ReadonlySet<number> = new Set();
const noRests = new TimeSlicer({sliceMs: Number.POSITIVE_INFINITY});

/** Parts in memory. */
class Parts {
  private readonly payloads = new Map<string, Uint8Array>();

  constructor(private readonly before?: Parts) {}

  async put(payload: Uint8Array): Promise<PartRef> {
    const key = `${this.before === undefined ? 'past' : 'new'} ${this.payloads.size}`;
    this.payloads.set(key, payload);
    const {length} = payload;
    return {key, revisions: [0], bytes: length, valueBytes: length, crcs: [crc32(payload)]};
  }

  retire(): void {}

  at({key}: PartRef): Uint8Array {
    return this.payloads.get(key) ?? this.before!.at({key} as PartRef);
  }

  async load(ref: PartRef): Promise<Uint8Array> {
    return this.at(ref);
  }
}

/** `memberCount`: users of all days together. */
export async function runPieces(memberCount: number): Promise<Piece[]> {
  const usersADay = Math.max(1, Math.floor(memberCount / (pastDays + newDays)));
  const past = new Parts();
  const runs = await appendWindowRun([], windows(0, pastDays, usersADay), past, past, nobody, noRests);
  const fresh = windows(pastDays, pastDays + newDays, usersADay);
  // Who leaves has to be looked for in every block of a whole merge: none is taken over.
  const stranger = new Set([usersADay]);
  const merged = (erased: ReadonlySet<number>) => async () => {
    const parts = new Parts(past);
    const after = await appendWindowRun(runs, fresh, parts, parts, erased, noRests);
    return told(() => contentOf(after, parts));
  };
  return [
    {
      quick: 'a run merged with that of past days: blocks taken over',
      plain: 'a run merged with that of past days: all written anew',
      work: {quick: merged(nobody), plain: merged(stranger)},
      count: memberCount,
    },
  ];
}

function windows(firstDay: number, endDay: number, usersADay: number): EncodedBlock[] {
  const deltas = new WindowDeltas();
  for (let day = firstDay; day < endDay; day++) {
    for (let user = 0; user < usersADay; user++)
      deltas.add(day * dayMs + (user % 24) * 3_600_000, user % 20, user, true);
  }
  return [...deltas.encode(() => false, 0)].map((view) => ({
    first: view.firstDay,
    last: view.lastDay,
    payload: encodeWindows(view),
  }));
}

/** Whatever its blocks. */
function contentOf(runs: readonly Run[], parts: Parts): string {
  const views = runs.flatMap(({blocks}) => blocks.map(({part}) => viewWindows(parts.at(part))));
  const all = (of: (view: (typeof views)[number]) => ArrayLike<number>) =>
    sumOf(views.flatMap((view) => [...Array.from(of(view))]));
  return [
    all(({hours}) => hours),
    all(({names}) => names),
    all(({counts}) => counts),
    all(({days}) => days),
    all(({members}) => members),
  ].join();
}
