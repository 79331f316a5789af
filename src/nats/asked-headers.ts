// What a question over NATS says of its asker, in headers; and how a role learns that nobody waits for the answer any more.
//   AH1. Any process of a role may have the question: the notice goes to all of them, and one knows its number.
import {headers, type MsgHdrs} from 'nats';
import type {AskedBy} from '../asks/asker.js';

/** A question's number is its own in the deployment. */
export interface NumberedAsk extends AskedBy {
  readonly number: string;
}

const names = {number: 'Ask-Number', caller: 'Ask-Caller', msMax: 'Ask-Ms-Max'} as const;

/** Subject of notices. AH1 */
export const leftSubject = (subject: string): string => `${subject}.left`;

export function askedHeaders({number, caller, msMax}: NumberedAsk): MsgHdrs {
  const all = headers();
  all.set(names.number, number);
  all.set(names.caller, caller);
  all.set(names.msMax, String(msMax));
  return all;
}

/** Undefined for a question that says nothing of its asker. */
export function readAskedHeaders(all: MsgHdrs | undefined): NumberedAsk | undefined {
  const number = all?.get(names.number) ?? '';
  const msMax = Number(all?.get(names.msMax));
  if (all === undefined || number === '' || !(msMax > 0)) return undefined;
  return {number, caller: all.get(names.caller), msMax};
}
