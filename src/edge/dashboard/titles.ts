// Titles of people: which traits they come from, a setting for everybody; and the titles of those whom the events of a page name.
//   TT1. A page asks once for all ids that it shows and does not know yet. Each costs the read of a profile, so they are counted.
import {z} from 'zod';
import {idCharsMax, objectKeyCharsMax} from '../../../actors/limits.js';
import {type TraitsObject, titleOf} from '../../../actors/report/rows/person-traits.js';
import type {UserRef} from '../../asks/users.js';
import {unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {seesTraits} from '../query/personal-data.js';
import {noParameters, readQuery} from '../query/query.js';
import {partitionOfUser} from '../query/user-partition.js';
import {authorOf} from '../routes/author.js';
import {readFields, readObject} from '../routes/json-fields.js';
import {storedChange} from '../routes/stored-change.js';
import type {TitlesAnswer, TitleTraits} from './answers/titles.js';

const traitsMax = 10;
/** TT1 */
export const titledMax = 100;

const traitsRule = `traits must be up to ${traitsMax} names of traits, each of 1 to ${objectKeyCharsMax} characters`;
const traitsBody = z.strictObject({
  traits: z
    .array(z.string(traitsRule).min(1, traitsRule).max(objectKeyCharsMax, traitsRule), traitsRule)
    .max(traitsMax, traitsRule),
});

const idsRule = `users and anonymous must be lists of ids, of ${titledMax} in all`;
const ids = z.array(z.string(idsRule).min(1, idsRule).max(idCharsMax, idsRule), idsRule).max(titledMax, idsRule);
const titledBody = z
  .strictObject({users: ids, anonymous: ids})
  .refine(({users, anonymous}) => users.length + anonymous.length <= titledMax, idsRule);

const outcomeUnknown = unavailable(
  'the key store does not respond: the traits of titles may or may not have been changed, load the page again to see',
);

const noTitles: TitlesAnswer = {users: {}, anonymous: {}};

/** Sets the traits that titles come from. */
export async function setTitleTraits(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  readQuery(exchange.query, noParameters);
  const {traits} = readFields(traitsBody, readObject(bytes));
  const {lists} = front.kept.keys;
  await storedChange(front, outcomeUnknown, () => lists.set('titles', [...new Set(traits)]));
  front.kept.audit.defined('titles.changed', authorOf(front, exchange));
  const body: TitleTraits = {traits: lists.titles};
  exchange.json('200 OK', JSON.stringify(body));
}

/** Answers the titles of some people, of those who have one. */
export async function readTitles(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  readQuery(exchange.query, noParameters);
  const asked = readFields(titledBody, readObject(bytes));
  if (!seesTraits(exchange)) return exchange.json('200 OK', JSON.stringify(noTitles));
  const [users, anonymous] = await Promise.all([
    titlesOf(front, 'user', asked.users),
    titlesOf(front, 'anonymous', asked.anonymous),
  ]);
  const body: TitlesAnswer = {users, anonymous};
  exchange.json('200 OK', JSON.stringify(body));
}

async function titlesOf(
  front: Front,
  kind: UserRef['kind'],
  asked: readonly string[],
): Promise<Record<string, string>> {
  const {titles} = front.kept.keys.lists;
  const found = await Promise.all(
    [...new Set(asked)].map(async (id): Promise<[string, string][]> => {
      const user = {kind, id};
      const partition = partitionOfUser(user, front.partitionCount);
      const profile = await front.reads.asks.partition(partition, {ask: 'profile', user}, ['profile', 'unknown_user']);
      const title =
        profile.kind === 'profile' ? titleOf(JSON.parse(profile.traitsJson) as TraitsObject, titles) : undefined;
      return title === undefined ? [] : [[id, title]];
    }),
  );
  return Object.fromEntries(found.flat());
}
