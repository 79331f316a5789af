// The state of actors in a store that cannot fail, written and read by what the service does it with.
import type {Actor, FrozenPart, Moment} from '../../actors/actor.js';
import type {PartRef} from '../../actors/manifest.js';
import {ActorState, restoreActors} from '../../src/partition/snapshot/actor-state.js';
import {Throttle} from '../../src/partition/throttle.js';
import type {LoadPart} from '../../src/parts/stored-index.js';
import {MissingPart} from '../../src/parts/stored-parts.js';

export class KeptState {
  private readonly payloads = new Map<string, Uint8Array>();
  /** Keys of all that was ever put. */
  private readonly puts: string[] = [];
  private readonly state = new ActorState({
    put: async (payload) => {
      const key = `p0.1.${this.puts.length}`;
      this.puts.push(key);
      this.payloads.set(key, payload.slice());
      return {key, revisions: [1], bytes: payload.length, valueBytes: payload.length, crcs: [0]};
    },
    retire: (...refs) => {
      for (const {key} of refs) this.payloads.delete(key);
    },
  });
  private sequence = 0;
  /** Whether stored parts can be read. */
  canRead = true;

  private readonly load: LoadPart = async (ref) => {
    const payload = this.canRead ? this.payloads.get(ref.key) : undefined;
    if (payload === undefined) throw new MissingPart(ref);
    return payload;
  };

  /** @returns the keys of what it put. */
  async put(frozen: Iterable<FrozenPart>): Promise<readonly string[]> {
    const before = this.puts.length;
    await this.state.put(frozen, this.load, new Throttle(() => 0).slicer());
    return this.puts.slice(before);
  }

  async snapshot(actor: Actor, logicalMs = 0, at: Partial<Moment> = {}): Promise<readonly string[]> {
    this.sequence += 1;
    const keys = await this.put(actor.freeze({generation: 1, sequence: this.sequence, logicalMs, ...at}));
    actor.snapshotDone?.();
    return keys;
  }

  /** Whether a part is still named. */
  has(key: string): boolean {
    return this.payloads.has(key);
  }

  get values(): Readonly<Record<string, unknown>> {
    return this.state.stored.values;
  }

  /** Stored parts of a name, in order, and what they hold. */
  parts(name: string): {readonly ref: PartRef; readonly payload: Uint8Array}[] {
    const named = this.state.stored.parts[name] ?? [];
    return named.map(({part}) => ({ref: part, payload: this.payloads.get(part.key)!}));
  }

  async restore(...actors: readonly Actor[]): Promise<void> {
    await restoreActors(actors, this.state.stored, this.load, false);
  }

  async restored<A extends Actor>(actor: A): Promise<A> {
    await this.restore(actor);
    return actor;
  }
}
