// What a page begins with, in one answer: the session, the state of the service, the boards, the annotations and the names of the
// segments. What shows the last three is loaded later, and takes them from here.
import type {StartAnswer} from '../../../src/edge/dashboard/answers/session.js';
import {type Answer, read} from './client';
import {publication} from './publication';
import {serviceState} from './service-state';
import {session, take} from './session';

let begun: Partial<StartAnswer> = {};
/** Round of publications in which it came. */
let begunIn = 0;

/** Once, in the round in which it came. Undefined: it did not come with the session. */
export function takeBegun<Name extends 'boards' | 'annotations' | 'segments'>(name: Name): Partial<StartAnswer>[Name] {
  const {[name]: taken, ...rest} = begun;
  begun = rest as Partial<StartAnswer>;
  return begunIn === publication.peek() ? (taken as Partial<StartAnswer>[Name]) : undefined;
}

export async function begin(): Promise<void> {
  const answer = await read<StartAnswer | {readonly role: null}>('session');
  if (answer.kind === 'value' && answer.value.role === null) {
    session.value = null;
    return;
  }
  const known = answer as Answer<StartAnswer>;
  if (known.kind === 'value') {
    begun = known.value;
    begunIn = publication.peek();
    serviceState.value = known.value.state;
  }
  take(known);
}
