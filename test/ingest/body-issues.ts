// What is wrong with a body by its zod schema, and by what a schema cannot say: the oracle of the validator of the hot path.
import type {z} from 'zod';
import {eventBytesMax, eventDepthMax} from '../../actors/limits.js';
import {refusalTexts} from '../../src/ingest/refusals.js';
import {isJsonObject} from '../../src/ingest/validate.js';

export interface Issue {
  readonly field: string | undefined;
  readonly message: string;
}

/** What is wrong with a body whose object `stored` is kept: by its schema, and by what a schema cannot say. Size hides everything else. */
export function issuesOf(schema: z.ZodType, stored: 'properties' | 'traits', value: unknown): Issue[] {
  if (!isJsonObject(value)) return [{field: undefined, message: refusalTexts.object}];
  if (Buffer.byteLength(JSON.stringify(value)) > eventBytesMax) return [{field: undefined, message: refusalTexts.size}];
  const result = schema.safeParse(value);
  const issues = result.success
    ? []
    : result.error.issues.map(({path, message}) => ({field: path[0] as string | undefined, message}));
  return [...issues, ...ignoredIssues(value, stored)];
}

/** zod drops `__proto__` keys while it copies, and does not look into unknown fields: both are looked for in the original. */
function ignoredIssues(value: object, stored: 'properties' | 'traits'): Issue[] {
  return Object.entries(value).flatMap(([field, content]): Issue[] => {
    const issues: Issue[] = [];
    if (field === '__proto__' || hasProtoKey(content)) {
      if (field === stored) return [{field, message: refusalTexts[stored]}];
      issues.push({field: '__proto__', message: refusalTexts.proto});
    }
    if (field !== stored && depthOf(content) > eventDepthMax - 1)
      issues.push({field: undefined, message: refusalTexts.depth});
    return issues;
  });
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
