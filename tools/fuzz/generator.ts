// The request of an index: a real one with mutations. The same seed and index give the same bytes.
import {Random} from '../random.js';
import {arm, pickBomb} from './bombs.js';
import {byteMutations, headMutations} from './head-mutations.js';
import type {HostileRequest} from './request.js';
import {isLibraryPath, template} from './templates.js';
import {textMutations} from './text-mutations.js';
import {valueMutations} from './value-mutations.js';

const weights = {nothing: 25, value: 25, text: 20, head: 22, bytes: 2, bomb: 2, again: 2};
const againMax = 500;

export function requestOf(seed: number, index: number): HostileRequest {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
  const what = random.weighted(weights);
  // A client that sends an earlier request again.
  if (what === 'again' && index > 0) return requestOf(seed, index - random.between(1, Math.min(index, againMax)));
  const {request, value, encode = (text) => text} = template(random, index);
  if (value === undefined) {
    // A byte that changes may change an id in the query: the ledger would not know it.
    if (what === 'bytes' && !isLibraryPath(request.path)) applyOne(byteMutations, request, random);
    else if (what !== 'nothing') applyOne(headMutations, request, random);
    return request;
  }
  let mutated = value;
  if (what === 'value') {
    for (let left = random.between(1, 2); left > 0; left--) {
      const name = random.pick(Object.keys(valueMutations));
      request.marks.push(name);
      mutated = valueMutations[name](mutated, random);
    }
  }
  request.body = Buffer.from(encode(JSON.stringify(mutated)));
  if (what === 'bomb') arm(request, pickBomb(random));
  if (what === 'text') {
    const name = random.pick(Object.keys(textMutations));
    request.marks.push(name);
    request.body = textMutations[name](request, request.body, random);
  }
  if (what === 'head') applyOne(headMutations, request, random);
  if (what === 'bytes') applyOne(byteMutations, request, random);
  return request;
}

function applyOne(
  mutations: Readonly<Record<string, (request: HostileRequest, random: Random) => void>>,
  request: HostileRequest,
  random: Random,
): void {
  const name = random.pick(Object.keys(mutations));
  request.marks.push(name);
  mutations[name](request, random);
}
