// The people who may sign in: each has their own access token, which is shown once, has a role and may expire.
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {idCharsMax} from '../../../actors/limits.js';
import {isName} from '../../ingest/validate.js';
import {dashboardRoles} from '../../keys/dashboard-role.js';
import type {KeyRecord} from '../../keys/key.js';
import {type Failure, invalidRequest} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {noParameters, readQuery} from '../query/query.js';
import type {Handle} from '../route.js';
import {authorOf} from '../routes/author.js';
import {readFields, readObject} from '../routes/json-fields.js';
import {keyForm} from '../routes/keys.js';
import type {PersonAnswer} from './answers/people.js';
import {orUnavailable} from './sign-in.js';

const nameRule = `name must be 1 to ${idCharsMax} characters, none of them a control character`;
const roleRule = `role must be one of ${dashboardRoles.join(', ')}`;
const traitsRule = 'sees_traits must be true or false';
const daysMax = 3_650;
const daysRule = `days must be a whole number from 1 to ${daysMax}`;
const dayMs = 86_400_000;

const newPerson = z.strictObject({
  name: z.string(nameRule).refine(isName, nameRule),
  role: z.enum(dashboardRoles, roleRule),
  sees_traits: z.boolean(traitsRule).default(true),
  /** Days until it expires; absent: never. */
  days: z.int(daysRule).min(1, daysRule).max(daysMax, daysRule).optional(),
});

const unknownPerson: Failure = {code: 'not_found', message: 'no such person'};

export const listPeople: Handle = ({kept: {keys}}, exchange) => {
  readQuery(exchange.query, noParameters);
  exchange.json('200 OK', JSON.stringify({people: keys.ring.people().map(shown)}));
};

export async function createPerson(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  readQuery(exchange.query, noParameters);
  const {name, role, days, sees_traits: seesTraits} = readFields(newPerson, readObject(bytes));
  const untilMs = days === undefined ? null : front.wallMs() + days * dayMs;
  const access = {role, untilMs, ...(!seesTraits && {hidesTraits: true as const})};
  const author = authorOf(front, exchange);
  const {record, key} = await orUnavailable(front.kept.keys.createPerson(name, access, author));
  exchange.json('201 Created', JSON.stringify({...shown(record), token: key}));
}

export const revokePerson: Handle = async (front, exchange) => {
  const {id} = readQuery(exchange.query, keyForm);
  const known = front.kept.keys.ring.get(id);
  if (known?.kind !== 'person') return exchange.fail(unknownPerson);
  if (id === exchange.caller.session!.by)
    return exchange.fail(invalidRequest('you cannot revoke the token you signed in with', 'id'));
  await orUnavailable(front.kept.keys.revoke(id, authorOf(front, exchange)));
  exchange.json('200 OK', JSON.stringify({status: 'revoked', id}));
};

function shown({id, name, last4, createdMs, lastUsedMs, revokedMs, access}: KeyRecord): PersonAnswer {
  return {
    id,
    name,
    role: access!.role,
    sees_traits: access!.hidesTraits !== true,
    last4,
    created_at: isoText(createdMs),
    last_used_at: lastUsedMs === null ? null : isoText(lastUsedMs),
    ends_at: access!.untilMs === null ? null : isoText(access!.untilMs),
    revoked_at: revokedMs === null ? null : isoText(revokedMs),
  };
}
