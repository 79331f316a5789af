// Which segment has the internal and test users, a setting for everybody: pages can leave them out.
//   IU1. It is the id of a segment. Once that is removed there are none.
import {z} from 'zod';
import {segmentsOf} from '../../kept/segment.js';
import {invalidRequest, RequestFailure, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {noParameters, readQuery} from '../query/query.js';
import {authorOf} from '../routes/author.js';
import {readFields, readObject} from '../routes/json-fields.js';
import {storedChange} from '../routes/stored-change.js';
import type {InternalUsers} from './answers/internal-users.js';

const body = z.strictObject({segment: z.string('segment must be the id of a segment, or null').nullable()});

const outcomeUnknown = unavailable(
  'the key store does not respond: the segment of internal users may or may not have been changed, load the page again to see',
);

/** Null: there is none. IU1 */
export function internalUsersOf({kept: {keys, store}}: Pick<Front, 'kept'>): string | null {
  const [id] = keys.lists.internal;
  return id !== undefined && segmentsOf(store).get(id) !== undefined ? id : null;
}

export async function setInternalUsers(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  readQuery(exchange.query, noParameters);
  const {segment} = readFields(body, readObject(bytes));
  const {keys, store, audit} = front.kept;
  if (segment !== null && segmentsOf(store).get(segment) === undefined)
    throw new RequestFailure(invalidRequest(`segment: there is no segment ${segment}`, 'segment'));
  await storedChange(front, outcomeUnknown, () => keys.lists.set('internal', segment === null ? [] : [segment]));
  audit.defined('internal-users.changed', authorOf(front, exchange), segment ?? undefined);
  const answer: InternalUsers = {segment: internalUsersOf(front)};
  exchange.json('200 OK', JSON.stringify(answer));
}
