// The state of a partition's actors in the store: the directory of their named parts, which snapshots change and a start reads.
//   AS1. Nothing here knows an actor: all of them are named parts (actors/actor.ts).
//   L1. A replaced part is retired in the part store in the same synchronous step.
import type {Actor, FrozenPart, Payload} from '../../../actors/actor.js';
import {must} from '../../../actors/invariant.js';
import type {ActorParts, PartRef} from '../../../actors/manifest.js';
import type {TimeSlicer} from '../../pacing/time-slicer.js';
import {whenAllEnded} from '../../pacing/when-all-ended.js';
import {isUnreadable} from '../../parts/damage.js';
import {loadAhead} from '../../parts/load-ahead.js';
import type {LoadPart} from '../../parts/stored-index.js';
import {payloadOf} from '../../parts/stored-state.js';
import type {PartStore} from './part-store.js';

/** Concurrent loads of the parts of one actor. */
export const loadsAheadMax = 8;

export class ActorState {
  private readonly store: Pick<PartStore, 'put' | 'retire'>;
  private readonly values = new Map<string, unknown>();
  private readonly parts = new Map<string, Map<number, PartRef>>();

  constructor(store: Pick<PartStore, 'put' | 'retire'>) {
    this.store = store;
  }

  restore({values, parts}: ActorParts): void {
    for (const [name, value] of Object.entries(values)) this.values.set(name, value);
    for (const [name, named] of Object.entries(parts))
      this.parts.set(name, new Map(named.map(({block, part}) => [block, part])));
  }

  /** What an index holds of the actors. */
  get stored(): ActorParts {
    const named = Array.from(this.parts, ([name, blocks]) => {
      const parts = Array.from(blocks, ([block, part]) => ({block, part}));
      return [name, parts.sort((a, b) => a.block - b.block)] as const;
    });
    return {values: Object.fromEntries(this.values), parts: Object.fromEntries(named)};
  }

  /** Writes what an actor froze. `load` reads the parts that a part joins. */
  async put(frozen: Iterable<FrozenPart>, load: LoadPart, slicer: TimeSlicer): Promise<void> {
    for (const part of frozen) {
      await this.putPart(part, load);
      await slicer.pause();
    }
  }

  private async putPart(frozen: FrozenPart, load: LoadPart): Promise<void> {
    const {name, block, joins} = frozen;
    const older = joins && (await this.readable(name, joins.blocks, load));
    const payload = older === undefined ? frozen.payload : must(joins, 'a part joins them').join(older);
    if (payload !== null && !(payload instanceof Uint8Array)) {
      this.values.set(name, payload.json);
      return;
    }
    this.set(name, block, payload === null ? undefined : await this.store.put(payload));
    if (older !== undefined) for (const joined of joins?.blocks ?? []) this.set(name, joined, undefined);
  }

  /** The payloads of these parts; undefined if one of them cannot be read. */
  private async readable(
    name: string,
    blocks: readonly number[],
    load: LoadPart,
  ): Promise<readonly Payload[] | undefined> {
    const refs = blocks.map((block) => must(this.parts.get(name)?.get(block), 'a joined block is stored'));
    try {
      return await Promise.all(refs.map(async (ref) => payloadOf(name, await load(ref), ref)));
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return undefined;
    }
  }

  /** Undefined: the part goes. L1 */
  private set(name: string, block: number, ref: PartRef | undefined): void {
    const blocks = this.parts.get(name) ?? new Map<number, PartRef>();
    const old = blocks.get(block);
    if (old !== undefined) this.store.retire(old);
    if (ref === undefined) blocks.delete(block);
    else blocks.set(block, ref);
    if (blocks.size > 0) this.parts.set(name, blocks);
    else this.parts.delete(name);
  }
}

/** The actor whose state a name is of. */
const ownerOf = (name: string): string => name.split('.', 1)[0]!;

/**
 * Gives actors their state back. `permitsMissing`: parts that an actor can do without may be lost. Actors are restored side by side,
 * because each load waits for the store longer than most parts take to restore; a failure waits for the other loads.
 * @throws MissingPart, DamagedPart
 */
export async function restoreActors(
  actors: readonly Actor[],
  {values, parts}: ActorParts,
  load: LoadPart,
  permitsMissing: boolean,
): Promise<void> {
  for (const actor of actors)
    if (values[actor.name] !== undefined) actor.restore(actor.name, 0, {json: values[actor.name]});
  await whenAllEnded(actors.map((actor) => restoreParts(actor, parts, load, permitsMissing)));
}

/** In order. The parts loaded ahead take memory in addition. */
async function restoreParts(
  actor: Actor,
  all: ActorParts['parts'],
  load: LoadPart,
  permitsMissing: boolean,
): Promise<void> {
  const names = Object.keys(all).filter((name) => ownerOf(name) === actor.name && name !== actor.unread);
  const wanted = names.flatMap((name) => all[name]!.map(({block, part}) => ({name, block, part})));
  const canLack = permitsMissing && actor.lost !== undefined;
  const read = async ({name, part}: (typeof wanted)[number]): Promise<Payload | undefined> => {
    try {
      return payloadOf(name, await load(part), part);
    } catch (error) {
      if (canLack && isUnreadable(error)) return undefined;
      throw error;
    }
  };
  for await (const [{name, block}, payload] of loadAhead(wanted, read, loadsAheadMax)) {
    if (payload === undefined) actor.lost?.();
    else actor.restore(name, block, payload);
  }
}
