// JSON of a client: bytes to value, strictly UTF-8, without ever handing a structure bomb to JSON.parse.
import {isUtf8} from 'node:buffer';
import {cutNesting, nestsTooDeep} from './nesting.js';

/** Stands for "no JSON": a value that JSON cannot express. */
export const notJson = Symbol('not JSON');

/** @returns the parsed value, or `notJson` (API.md: `invalid_json`, invalid UTF-8 included). */
export function parseJson(bytes: Buffer): unknown {
  const bounded = nestsTooDeep(bytes) ? cutNesting(bytes) : bytes;
  if (!isUtf8(bounded)) return notJson;
  try {
    return JSON.parse(bounded.toString('utf8'));
  } catch {
    return notJson;
  }
}
