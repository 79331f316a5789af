// Which funnels have postings where those of all names do not fit: those that were asked lately, as far as they fit.
//   Owns: what was asked, and the choice. Does not own: what postings are (user-postings.ts), and what they take.
//   F1. A funnel is chosen whole: some of its names answer nothing.
//   F2. What is kept already comes first, as long as it is asked for: of funnels that take turns and do not fit together some
//       are answered by postings, and nothing is built anew with each question.
import type {Stretch} from '../selection.js';

/** A dashboard asks for some; with each more the choice takes longer. */
const askedMax = 32;

/** Events of these names (name indexes of a partition) in a stretch. */
export interface NamedStretch {
  readonly names: ReadonlySet<number>;
  readonly stretch: Stretch;
}

interface AskedFunnel extends NamedStretch {
  readonly askedMs: number;
}

export class AskedFunnels {
  /** What was asked for last comes last. */
  private readonly funnels = new Map<string, AskedFunnel>();

  note(names: ReadonlySet<number>, stretch: Stretch, askedMs: number): void {
    const key = [stretch.startMs, stretch.lastMs, ...[...names].sort((a, b) => a - b)].join();
    this.funnels.delete(key);
    this.funnels.set(key, {names, stretch, askedMs});
    if (this.funnels.size <= askedMax) return;
    const [oldest] = this.funnels.keys();
    this.funnels.delete(oldest);
  }

  /** All names of what was asked since then. */
  namesSince(sinceMs: number): ReadonlySet<number> {
    return new Set(this.since(sinceMs).flatMap(({names}) => [...names]));
  }

  /**
   * Of what was asked since then; undefined where not one funnel fits. `kept`: what there are postings of; `fits`: whether
   * there may be postings of a choice.
   */
  choose(
    sinceMs: number,
    kept: NamedStretch | undefined,
    fits: (choice: NamedStretch) => boolean,
  ): NamedStretch | undefined {
    const newestFirst = this.since(sinceMs).reverse();
    const isKept = (funnel: NamedStretch): boolean => kept !== undefined && reaches(kept, funnel);
    let choice: NamedStretch | undefined;
    for (const funnel of [...newestFirst.filter(isKept), ...newestFirst.filter((funnel) => !isKept(funnel))]) {
      const larger = choice === undefined ? funnel : union(choice, funnel);
      if (fits(larger)) choice = {names: larger.names, stretch: larger.stretch};
    }
    return choice;
  }

  private since(sinceMs: number): AskedFunnel[] {
    return [...this.funnels.values()].filter(({askedMs}) => askedMs >= sinceMs);
  }
}

/** What comes behind the end of what is kept is built as it comes. */
const reaches = (kept: NamedStretch, {names, stretch}: NamedStretch): boolean =>
  kept.stretch.startMs <= stretch.startMs && holdsAll(kept.names, names);

export const holdsAll = (held: ReadonlySet<number>, names: ReadonlySet<number>): boolean =>
  [...names].every((name) => held.has(name));

const union = (a: NamedStretch, b: NamedStretch): NamedStretch => ({
  names: new Set([...a.names, ...b.names]),
  stretch: hull(a.stretch, b.stretch),
});

/** From the start of the earlier to the end of the later one. */
export const hull = (a: Stretch, b: Stretch): Stretch => ({
  startMs: Math.min(a.startMs, b.startMs),
  lastMs: Math.max(a.lastMs, b.lastMs),
});
