// The shares of other report processes in the rounds of a question (rounds.ts).
//   SH1. A partition is folded by the process with the highest hash of both, so that each one caches the parts of its own. That is no
//        ownership: any process can fold any partition of published snapshots.
//   SH2. What no other process answers is folded here. A process refuses what it cannot answer of the same snapshots, and of
//        another version.
//   SH3. A process that is silent has its share asked of the second choices, and is asked nothing for a while. An answer that comes
//        after that is not read: a share counts once.
import {nearestMember} from '../../actors/cluster/assignment.js';
import type {Asker} from '../asks/asker.js';
import type {ReportQuery} from '../asks/report.js';
import {monotonicMs} from '../clock.js';
import {newStop} from '../pacing/stop.js';
import {positionOf} from './published/held-sets.js';
import type {PartitionSnapshot} from './published/newest-snapshots.js';
import {inRounds} from './questions/all.js';
import type {AskedShare, FoldedShare, Others} from './rounds.js';

/** The report processes of the deployment. */
export interface Peers {
  readonly me: string;
  /** Those that live, also this one; empty: not known yet. */
  readonly all: readonly string[];
  /** `silent`: it died, or cannot be reached. Never rejects. */
  ask(id: string, asked: AskedShare, asker: Asker): Promise<Uint8Array | 'refused' | 'silent'>;
}

/** Longer than a dead process stays a member (actors/cluster/cluster-view.ts O1). */
const avoidedMs = 15_000;

/** Half of a surrogate pair, as JSON writes it: MessagePack does not carry it. */
const loneSurrogate = /\\ud[89a-f]/i;

type SharedSet = readonly PartitionSnapshot[];

export class Shards {
  private readonly peers: Peers;
  private readonly clockMs: () => number;
  /** Until when each silent process is asked nothing. SH3 */
  private readonly avoided = new Map<string, number>();

  constructor(peers: Peers, clockMs: () => number = monotonicMs) {
    this.peers = peers;
    this.clockMs = clockMs;
  }

  /** The partitions that this process should have parts of. */
  ownOf(snapshots: SharedSet): SharedSet {
    return this.dealt(snapshots, this.members()).get(this.peers.me) ?? [];
  }

  /** Runs work whose rounds others take their shares of; `others` undefined: there are none, or the question has no rounds. */
  async during<T>(
    query: ReportQuery,
    snapshots: SharedSet,
    {caller, gone}: Asker,
    work: (others: Others | undefined) => Promise<T>,
  ): Promise<T> {
    const members = this.members();
    const isAlone = members.length < 2 || !(query.report in inRounds) || loneSurrogate.test(JSON.stringify(query));
    if (isAlone) return work(undefined);
    const over = newStop();
    const asker = {caller, gone: AbortSignal.any([gone, over.signal])};
    try {
      return await work({
        ownOf: (all) => this.ownOf(all),
        ask: (all, step) => this.ask(all, {...pinsOf(snapshots), query, step}, asker, members),
      });
    } finally {
      over.abort();
    }
  }

  private members(): readonly string[] {
    const {me, all} = this.peers;
    const nowMs = this.clockMs();
    for (const [id, untilMs] of this.avoided) if (untilMs <= nowMs) this.avoided.delete(id);
    const others = all.filter((id) => id !== me && !this.avoided.has(id));
    return [me, ...others];
  }

  /** Snapshots by the member with the highest hash, in the order of partitions. SH1 */
  private dealt(snapshots: SharedSet, members: readonly string[]): Map<string, PartitionSnapshot[]> {
    const dealt = new Map<string, PartitionSnapshot[]>();
    for (const snapshot of snapshots) {
      const member = nearestMember(snapshot.manifest.partition, members);
      dealt.set(member, [...(dealt.get(member) ?? []), snapshot]);
    }
    return dealt;
  }

  private ask(
    snapshots: SharedSet,
    asked: Omit<AskedShare, 'partitions'>,
    asker: Asker,
    members: readonly string[],
  ): readonly FoldedShare[] {
    const dealt = this.dealt(snapshots, members);
    const own = dealt.get(this.peers.me) ?? [];
    dealt.delete(this.peers.me);
    const shares = [...dealt].flatMap(([id, some]) => this.shareOf(id, some, asked, asker, members));
    return [Promise.resolve({own}), ...shares];
  }

  /** The share of a process, or those of its partitions' second choices. */
  private shareOf(
    id: string,
    snapshots: SharedSet,
    asked: Omit<AskedShare, 'partitions'>,
    asker: Asker,
    members: readonly string[],
  ): FoldedShare {
    const partitions = snapshots.map(({manifest}) => manifest.partition);
    return this.peers.ask(id, {...asked, partitions}, asker).then(async (answer) => {
      if (answer instanceof Uint8Array) return {partials: [answer], own: []};
      if (answer === 'refused') return {own: snapshots}; // SH2
      this.avoided.set(id, this.clockMs() + avoidedMs);
      const left = members.filter((member) => member !== id);
      const again = await Promise.all(this.ask(snapshots, asked, asker, left)); // SH3
      return {partials: again.flatMap(({partials = []}) => partials), own: again.flatMap(({own}) => own)};
    });
  }
}

/** What a share says of the snapshots. */
export const pinsOf = (snapshots: SharedSet): Pick<AskedShare, 'at' | 'indexes'> => ({
  at: positionOf(snapshots.map(({manifest}) => manifest)),
  indexes: snapshots.map(({manifest}) => manifest.index.key),
});
