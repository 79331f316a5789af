// Objects that occur several times become components, where that is shorter.
import type {JsonSchema} from '../query/query.js';

export type Components = Record<string, JsonSchema>;

export class Shared {
  private readonly counts = new Map<string, number>();
  private readonly nameOf = new Map<string, string>();
  /** Names are told apart by their letters and digits: generators make names of types of them, and some make files. */
  private readonly taken: Set<string>;

  /** `components`: those that are there before, each with a name of its own. */
  constructor(
    private readonly kind: string,
    readonly components: Components = {},
  ) {
    this.taken = new Set(Object.keys(components).map(lettersOf));
    for (const [name, one] of Object.entries(components)) this.nameOf.set(JSON.stringify(one), name);
  }

  /** @returns whether it is the first of its text. */
  note(one: object): boolean {
    const text = JSON.stringify(one);
    const count = this.counts.get(text) ?? 0;
    this.counts.set(text, count + 1);
    return count === 0;
  }

  isKnown(one: object): boolean {
    const text = JSON.stringify(one);
    return this.counts.has(text) || this.nameOf.has(text);
  }

  /**
   * A reference, or the object itself where that is shorter. A component has the name of its first place, and another one of this
   * name a number behind it. `made`: the component, if it is not the object as it was noted.
   */
  shared(one: object, name: string, made: () => object = () => one): object {
    const text = JSON.stringify(one);
    const known = this.nameOf.get(text);
    if (known !== undefined) return this.referenceTo(known);
    const count = this.counts.get(text) ?? 0;
    const fresh = this.freshName(name);
    const reference = this.referenceTo(fresh);
    const referenceChars = JSON.stringify(reference).length;
    if (count * (text.length - referenceChars) <= text.length + fresh.length) return made();
    this.nameOf.set(text, fresh);
    this.taken.add(lettersOf(fresh));
    this.components[fresh] = {}; // The place in the document is taken while the component is made.
    this.components[fresh] = made() as JsonSchema;
    return reference;
  }

  private referenceTo(name: string): object {
    return {$ref: `#/components/${this.kind}/${name}`};
  }

  private freshName(name: string): string {
    const bare = name.replace(/[^\w.-]+/g, '');
    let fresh = bare;
    for (let number = 2; this.taken.has(lettersOf(fresh)); number++) fresh = `${bare}.${number}`;
    return fresh;
  }
}

const lettersOf = (name: string): string => name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();

export const mapValues = <Of, To>(
  of: Readonly<Record<string, Of>>,
  change: (one: Of, name: string) => To,
): Record<string, To> => Object.fromEntries(Object.entries(of).map(([name, one]) => [name, change(one, name)]));
