// The segments of the service, as this browser last read them.
import {signal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import type {SegmentAnswer} from '../../../src/edge/answers/segments.js';
import type {InternalUsers} from '../../../src/edge/dashboard/answers/internal-users.js';
import {type Answer, change, type Fault, faultOf, type Listed, read} from './client';
import {knownSegments} from './known-segments';
import {session} from './session';
import {takeBegun} from './start';

export type Segment = SegmentAnswer;

knownSegments.value = takeBegun('segments');

/** Undefined before the first answer. */
export const segments = signal<readonly Segment[] | undefined>(undefined);
export const segmentsFault = signal<Fault | undefined>(undefined);

export async function readSegments(): Promise<void> {
  const answer = await read<Listed<Segment>>('v1/segments');
  segmentsFault.value = faultOf(answer);
  if (answer.kind === 'fault') return;
  segments.value = answer.value.data;
  knownSegments.value = answer.value.data;
}

/** Names to choose from. A page begins with them. */
export function useKnownSegments(): NonNullable<typeof knownSegments.value> {
  useEffect(() => {
    if (knownSegments.peek() === undefined) void readSegments();
  }, []);
  return knownSegments.value ?? [];
}

/** Sends a change of the list, and reads it again. @returns why it was not made. */
async function after(sent: Promise<Answer<unknown>>): Promise<Fault | undefined> {
  const fault = faultOf(await sent);
  await readSegments();
  return fault;
}

type Members = Pick<Segment, 'name' | 'users'>;

export const createSegment = (members: Members): Promise<Fault | undefined> =>
  after(change('POST', 'v1/segments', members));

export const changeSegment = ({id, version}: Segment, members: Members): Promise<Fault | undefined> =>
  after(change('PATCH', `v1/segments/${id}`, members, `"${version}"`));

/** Null: no segment has them any more. */
export async function setInternalUsers(segment: string | null): Promise<Fault | undefined> {
  const answer = await change<InternalUsers>('PUT', 'internal-users', {segment});
  if (answer.kind === 'value' && session.value) session.value = {...session.value, internal: answer.value.segment};
  return faultOf(answer);
}

export async function removeSegment({id}: Segment): Promise<Fault | undefined> {
  const fault = await after(change('DELETE', `v1/segments/${id}`));
  if (session.value?.internal === id) session.value = {...session.value, internal: null};
  return fault?.code === 'not_found' ? undefined : fault; // Somebody else was faster.
}
