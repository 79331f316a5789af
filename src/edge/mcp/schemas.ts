// JSON Schemas of a tool's arguments, in few words: an assistant reads the definitions of all tools before it asks anything.
//   MS1. What a member means is said where it first occurs; elsewhere its type alone is. `readQuestion` checks all of it.
//   MS2. A value that may be written as a text is described as that text alone.
import {z} from 'zod';
import type {JsonSchema} from '../query/query.js';

type Plain = Readonly<Record<string, unknown>>;

/** Other rules are told by a refusal. */
const kept: readonly string[] = ['type', 'enum'];

/** The first sentence, without the marks of code. */
const brief = (description: string): string => description.replaceAll('`', '').split(/(?<=[^.])\.(?:\s|$)/, 1)[0]!;

/** Describes arguments, tool after tool. MS1 */
export class Described {
  private readonly said = new Set<string>();

  /** `shape`: the members by their names. */
  of(shape: Readonly<Record<string, z.ZodType>>): JsonSchema {
    return this.plain('', z.toJSONSchema(z.object(shape), {io: 'input', unrepresentable: 'any'}));
  }

  private plain(name: string, schema: Plain): Plain {
    const {anyOf, oneOf, ...own} = schema;
    const forms = (anyOf ?? oneOf) as readonly Plain[] | undefined;
    if (forms !== undefined) return this.plain(name, {...forms[0]!, ...own}); // MS2
    return Object.fromEntries(Object.entries(own).flatMap(([key, value]) => this.rule(name, key, value)));
  }

  private rule(name: string, key: string, value: unknown): [string, unknown][] {
    if (key === 'properties') {
      const members = Object.entries(value as Plain).map(([own, member]) => [own, this.plain(own, member as Plain)]);
      return [[key, Object.fromEntries(members)]];
    }
    if (key === 'items') return [[key, this.plain(name, value as Plain)]];
    if (key === 'description') return this.isNew(name, value as string) ? [[key, brief(value as string)]] : [];
    if (key === 'required') return (value as readonly string[]).length > 0 ? [[key, value]] : [];
    return kept.includes(key) ? [[key, value]] : [];
  }

  private isNew(name: string, description: string): boolean {
    const line = `${name}: ${brief(description)}`;
    if (this.said.has(line)) return false;
    this.said.add(line);
    return true;
  }
}
