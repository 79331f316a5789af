// The segments of the service, as this browser last read them.
import {useEffect} from 'preact/hooks';
import type {SegmentAnswer} from '../../../src/edge/answers/segments.js';
import type {InternalUsers} from '../../../src/edge/dashboard/answers/internal-users.js';
import {change, type Fault, faultOf} from './client';
import {keptList} from './kept-list';
import {knownSegments} from './known-segments';
import {session} from './session';
import {takeBegun} from './start';

export type Segment = SegmentAnswer;

knownSegments.value = takeBegun('segments');

const list = keptList<Segment>('v1/segments', (all) => {
  knownSegments.value = all;
});
export const {items: segments, fault: segmentsFault, read: readSegments} = list;

/** Names to choose from. A page begins with them. */
export function useKnownSegments(): NonNullable<typeof knownSegments.value> {
  useEffect(() => {
    if (knownSegments.peek() === undefined) void readSegments();
  }, []);
  return knownSegments.value ?? [];
}

type Members = Pick<Segment, 'name' | 'users'>;

export const createSegment = (members: Members): Promise<Fault | undefined> => list.create(members);

export const changeSegment = (segment: Segment, members: Members): Promise<Fault | undefined> =>
  list.change(segment, members);

/** Null: no segment has them any more. */
export async function setInternalUsers(segment: string | null): Promise<Fault | undefined> {
  const answer = await change<InternalUsers>('PUT', 'internal-users', {segment});
  if (answer.kind === 'value' && session.value) session.value = {...session.value, internal: answer.value.segment};
  return faultOf(answer);
}

export async function removeSegment({id}: Segment): Promise<Fault | undefined> {
  const fault = await list.remove({id});
  if (fault === undefined && session.value?.internal === id) session.value = {...session.value, internal: null};
  return fault;
}
