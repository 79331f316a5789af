// POST /admin/v1/links: links of stored events that have none (src/cli/relink.ts).
//   RL1. A link of a user who does not exist is not stored: the user was deleted after its events were read.
import {z} from 'zod';
import {idCharsMax} from '../../../actors/limits.js';
import type {LinkedPair} from '../../ingest/acked-links.js';
import type {LinkEncoder} from '../../ingest/link-encoder.js';
import type {Commit} from '../../ingest/log-message.js';
import {isNewId} from '../../ingest/validate.js';
import {logUnavailable} from '../admission/obstacles.js';
import type {linksAnswer} from '../answers/ingestion.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {noParameters, readQuery} from '../query/query.js';
import {partitionOfUser} from '../query/user-partition.js';
import {readFields, readObject} from './json-fields.js';
import {lostLink} from './lost-writes.js';

const linksMax = 100;
/** Ids of 4 bytes a character, escaped throughout. */
export const linksBodyBytesMax = linksMax * 2 * 12 * idCharsMax;

const joinsNothing = invalidRequest('IDENTITY_JOIN is off: nothing is joined');
const idRule = `userId and anonymousId must be ids: 1 to ${idCharsMax} characters`;
const linksRule = `links must be up to ${linksMax} objects with a userId and an anonymousId`;
const id = z.string(idRule).refine(isNewId, idRule).meta({minLength: 1, maxLength: idCharsMax});

export const linksBody = z.strictObject({
  links: z
    .array(z.strictObject({userId: id, anonymousId: id}, linksRule), linksRule)
    .max(linksMax, linksRule)
    .describe('Of two users of one `anonymousId` the first one is its user.'),
});

type Link = z.infer<typeof linksBody>['links'][number];

export async function addLinks(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const body = readObject(bytes);
  readQuery(exchange.query, noParameters);
  const {links} = readFields(linksBody, body);
  const encoder = front.writes.links;
  if (encoder === undefined) return exchange.fail(joinsNothing);
  const known = await knownUsers(front, links);
  const obstacle = front.operations.obstacles.toWriting();
  if (obstacle !== undefined) return exchange.fail(obstacle);
  const stored = links.filter(({userId}) => known.has(userId)); // RL1
  await Promise.all(stored.map((link) => append(front, encoder, link)));
  const answer: z.infer<typeof linksAnswer> = {stored: stored.length, unknown: links.length - stored.length};
  exchange.json('200 OK', JSON.stringify(answer));
}

async function knownUsers({partitionCount, reads: {asks}}: Front, links: readonly Link[]): Promise<Set<string>> {
  const ids = [...new Set(links.map(({userId}) => userId))];
  const answers = await Promise.all(
    ids.map((userId) => {
      const user = {kind: 'user', id: userId} as const;
      const partition = partitionOfUser(user, partitionCount);
      return asks.partition(partition, {ask: 'exists', user}, ['known_user', 'unknown_user']);
    }),
  );
  return new Set(ids.filter((_, at) => answers[at]!.kind === 'known_user'));
}

/** Resolves when the log has the link. Entries of a partition keep the order in which they are appended. */
function append(front: Front, encoder: LinkEncoder, {userId, anonymousId}: Link): Promise<void> | undefined {
  const pair = encoder.ofIds(userId, anonymousId, front.wallMs());
  return pair === undefined ? undefined : appendNewest(front, encoder, pair);
}

function appendNewest({writes: {publisher}}: Front, encoder: LinkEncoder, pair: LinkedPair): Promise<void> {
  return new Promise((resolve, reject) => {
    const settled = ({outcome}: Commit): void => {
      if (outcome !== 'stored') {
        reject(new RequestFailure(lostLink));
        return;
      }
      encoder.acked.acked(pair);
      resolve();
    };
    if (publisher.append(encoder.partition, encoder.bytes, 0, encoder.end, {settled}) === undefined)
      reject(new RequestFailure(logUnavailable));
  });
}
