// The digests of the service, as this browser last read them.
import type {DigestAnswer} from '../../../src/edge/answers/digests.js';
import type {Fault} from './client';
import {keptList} from './kept-list';

export type Digest = DigestAnswer;

export const {
  items: digests,
  fault: digestsFault,
  read: readDigests,
  change: changed,
  create,
  remove: removeDigest,
} = keptList<Digest>('v1/digests');

/** Null: without it, as it is by default. */
export type DigestMembers = Pick<Digest, 'of' | 'hour' | 'timezone'> & {
  readonly weekday: Digest['weekday'] | null;
  readonly endpoints: readonly string[] | null;
};

export const createDigest = ({weekday, endpoints, ...members}: DigestMembers): Promise<Fault | undefined> =>
  create({...members, ...(weekday && {weekday}), ...(endpoints && {endpoints})});

export const changeDigest = (
  digest: Digest,
  members: Partial<DigestMembers> | {readonly paused: boolean},
): Promise<Fault | undefined> => changed(digest, members);
