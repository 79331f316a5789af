// Requests of vendors whose calls may name nobody, with a salt that is known.
import type {CallForm, Nameless} from '../../../src/edge/compatible/translator.js';
import {visitorId} from '../../../src/keys/visitor-id.js';
import {entriesOf, type NativeEntry, readAll} from './native-entries.js';

const visitor = Buffer.alloc(32, 7);
const key = 'sk_write_k';
/** The visitor of all these requests. */
export const visitorOfTests = visitorId(visitor, key);

export type Sent = readonly [CallForm, Nameless];
export const fromVisitor = (vendor: string): Sent => [{vendor}, {visitor, key}];
export const keyInBody = (vendor: string): Sent => [{vendor}, {visitor, key: undefined}];
export const withoutSalt = (vendor: string): Sent => [{vendor}, {visitor: undefined, key}];

export function readOne(vendor: string, call: unknown) {
  return readAll([call], ...fromVisitor(vendor));
}

export const entriesOfOne = (vendor: string, call: unknown): Omit<NativeEntry, 'call'>[] =>
  entriesOf(readOne(vendor, call)).map(({call: _, ...entry}) => entry);
