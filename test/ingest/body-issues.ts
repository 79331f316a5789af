// What is wrong with a body by its zod schema, and by what a schema cannot say: the oracle of the validator of the hot path.
import type {z} from 'zod';
import {eventBytesMax, eventDepthMax} from '../../actors/limits.js';
import {refusalTexts} from '../../src/ingest/refusals.js';
import {isJsonObject} from '../../src/ingest/validate.js';

export interface Issue {
  readonly field: string | undefined;
  readonly message: string;
}

/** Fields whose objects are kept. */
type Stored = readonly ('properties' | 'context' | 'traits' | 'traitsOnce')[];

/** What is wrong with a body whose objects `stored` are kept: by its schema, and by what a schema cannot say. Size hides everything else. */
export function issuesOf(schema: z.ZodType, stored: Stored, value: unknown): Issue[] {
  if (!isJsonObject(value)) return [{field: undefined, message: refusalTexts.object}];
  if (Buffer.byteLength(JSON.stringify(value)) > eventBytesMax) return [{field: undefined, message: refusalTexts.size}];
  const result = schema.safeParse(value);
  const issues = result.success
    ? []
    : result.error.issues.map(({path, message}) => ({field: path[0] as string | undefined, message}));
  return [...issues, ...ignoredIssues(value, stored)];
}

/** zod drops `__proto__` keys while it copies, and does not look into unknown fields: both are looked for in the original. */
function ignoredIssues(value: object, stored: Stored): Issue[] {
  return Object.entries(value).flatMap(([field, content]): Issue[] => {
    const issues: Issue[] = [];
    const storedField = stored.find((one) => one === field);
    if (field === '__proto__' || hasProtoKey(content)) {
      if (storedField !== undefined) return [{field, message: refusalTexts[storedField]}];
      issues.push({field: '__proto__', message: refusalTexts.proto});
    }
    if (storedField === undefined && depthOf(content) > eventDepthMax - 1)
      issues.push({field: undefined, message: refusalTexts.depth});
    return issues;
  });
}

/** The same in the words of a schema, which does not say which bound of an object is broken, nor what is there instead of a text. */
export function generally({field, message}: Issue): Issue {
  const isStored = field === 'properties' || field === 'context' || field === 'traits' || field === 'traitsOnce';
  const isNoText = message.startsWith(`${field} must be a string, and is `);
  return {field, message: isStored || isNoText ? refusalTexts[field as 'event'] : message};
}

/** Levels of containers. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function hasProtoKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasProtoKey);
}
