// Where Node's parser reads bytes otherwise than uWebSockets.js does. Either reading is safe.
//   N1. Bytes that are no request are refused by both, in words of their own: any of `refusals`, and the connection ends.
import type {Case} from './case.js';

/** N1. None: the connection ends without an answer. */
const refusals: readonly (readonly number[])[] = [[], [400], [431], [505]];

const strict: Partial<Case> = {answers: [400], ending: 'closed', stored: 0};
const taken: Partial<Case> = {answers: [200], ending: 'kept', stored: 1};
const shown: Partial<Case> = {answers: [200], ending: 'kept', stored: 0};

/** Node 22 and newer take blanks on both sides of a length, as the RFC has it. */
const takesBlanks = Number(process.versions.node.split('.')[0]) >= 22;

const differences: Readonly<Record<string, Partial<Case>>> = {
  ...(takesBlanks ? {} : {'a length between spaces and tabs': strict}),
  'a space behind the size': strict,
  'other bytes in place of the line end of a chunk': strict,
  'bare line feeds between chunks': strict,
  'method FOO-BAR': strict,
  'method get': strict,
  'method Post': strict,
  'method aaaaaaaaaa': strict,
  'no method': strict,
  'path /healthz\xff': strict,
  'a length with 30 zeros': taken,
  'a trailer': {answers: [200], stored: 1},
  'a chunk extension': {answers: [200], ending: 'closed', stored: 1},
  'two spaces': shown,
  'an empty line before a GET that only knows line feeds': shown,
  '99 fields': taken,
  'a size of 64 bits': {answers: [], ending: 'waits'},
  'the last chunk without its empty line': {answers: [], ending: 'waits', stored: 0},
};

/** The case as it is over node:http. */
export function overNode(one: Case): Case {
  const difference = differences[one.name] ?? (one.name.startsWith('no UTF-8 in ') ? strict : undefined);
  return difference === undefined ? one : {...one, ...difference};
}

const isRefusal = (statuses: readonly number[]): boolean =>
  refusals.some((refusal) => String(refusal) === String(statuses));

/** Bytes that might still become a request for one parser are none for the other. */
export const isRefusedEarly = ({ending}: Case, statuses: readonly number[]): boolean =>
  ending === 'waits' && isRefusal(statuses);

/** N1 */
export const isRefusedAlike = ({ending, stored, answers}: Case, statuses: readonly number[]): boolean =>
  ending === 'closed' && stored === 0 && isRefusal(answers) && isRefusal(statuses);
