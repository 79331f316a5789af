// The digests of the service, as this browser last read them.
import {signal} from '@preact/signals';
import type {DigestAnswer} from '../../../src/edge/answers/digests.js';
import {type Answer, change, type Fault, faultOf, type Listed, read} from './client';

export type Digest = DigestAnswer;

/** Undefined before the first answer. */
export const digests = signal<readonly Digest[] | undefined>(undefined);
export const digestsFault = signal<Fault | undefined>(undefined);

export async function readDigests(): Promise<void> {
  const answer = await read<Listed<Digest>>('v1/digests');
  digestsFault.value = faultOf(answer);
  if (answer.kind === 'value') digests.value = answer.value.data;
}

/** Sends a change of the list, and reads it again. @returns why it was not made. */
async function after(sent: Promise<Answer<unknown>>): Promise<Fault | undefined> {
  const fault = faultOf(await sent);
  await readDigests();
  return fault;
}

/** Null: without it, as it is by default. */
export type DigestMembers = Pick<Digest, 'of' | 'hour' | 'timezone'> & {
  readonly weekday: Digest['weekday'] | null;
  readonly endpoints: readonly string[] | null;
};

export function createDigest({weekday, endpoints, ...members}: DigestMembers): Promise<Fault | undefined> {
  const given = {...members, ...(weekday && {weekday}), ...(endpoints && {endpoints})};
  return after(change('POST', 'v1/digests', given));
}

export const changeDigest = (
  {id, version}: Digest,
  members: Partial<DigestMembers> | {readonly paused: boolean},
): Promise<Fault | undefined> => after(change('PATCH', `v1/digests/${id}`, members, `"${version}"`));

export async function removeDigest({id}: Digest): Promise<Fault | undefined> {
  const fault = await after(change('DELETE', `v1/digests/${id}`));
  return fault?.code === 'not_found' ? undefined : fault; // Somebody else was faster.
}
