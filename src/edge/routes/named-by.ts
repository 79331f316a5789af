// What names a person who is deleted: texts that people wrote into definitions, found before the deletion begins.
//   NB1. A deletion changes no definition: the receipt lists what names the person, and people decide about each. Links that surely
//        show the person stop before the deletion begins (named-person.ts NP4).
//   NB2. The text of a trait names a person if fewer than five users have it: nobody is named by `plan: pro`. It does, too, if
//        reports cannot say how many there are. An e-mail address or phone number always does: a public key can give it to five
//        users. Of other forms this is not sure: many users have the UUID of their team.
//   NB3. The list has ids and no texts: the receipt never names the person. It is stored before the deletion is in the log, because
//        nothing knows the texts after that.
import {setImmediate as nextTurn} from 'node:timers/promises';
import {ofService} from '../../asks/asker.js';
import type {UserRef} from '../../asks/users.js';
import {monotonicMs} from '../../clock.js';
import type {Definition} from '../../kept/definition.js';
import {
  fewUsers,
  folded,
  foundIn,
  isSurely,
  type PersonText,
  textsOf,
  type Written,
  writtenIn,
} from '../../kept/named-person.js';
import {isAddressOfPerson} from '../../kept/person-forms.js';
import type {SavedReport} from '../../kept/saved-report.js';
import {type Share, sharesOf} from '../../kept/share.js';
import {BucketFault} from '../../keys/key-bucket.js';
import type {NamedBy} from '../answers/users.js';
import {RequestFailure, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {authorOf} from './author.js';
import {storedChange} from './stored-change.js';

/** Traits whose users are counted: the texts of others name the person. */
const countedMax = 20;
const countMsMax = 3_000;
/** The search reads all definitions, and other requests have turns between. */
const turnMsMax = 2;

const outcomeUnknown = unavailable(
  'the store of definitions does not respond, and what names this user is not known: delete the user again',
);

const notKnown = unavailable('the store of definitions does not respond: ask for the receipt again');

/** As it is stored: `id` of a hidden name is a keyed hash. */
export type Naming = Pick<NamedBy, 'kind' | 'id'>;

interface FoundNaming {
  readonly naming: readonly Naming[];
  /** Ids of the links among these that stop. */
  readonly stopping: readonly string[];
}

const recordName = (deletionId: string): string => `n.${deletionId}`;

/** What names the user. `anonymousIds`: those of the user. */
export async function findNaming(
  front: Front,
  user: UserRef,
  home: number,
  anonymousIds: readonly string[],
): Promise<FoundNaming> {
  const written = writtenHere(front);
  if (written.length === 0) return {naming: [], stopping: []};
  const profile = await front.reads.asks.partition(home, {ask: 'profile', user}, ['profile', 'unknown_user']);
  const {traitsJson, secretTraits} = profile.kind === 'profile' ? profile : {traitsJson: '{}', secretTraits: []};
  const traits = JSON.parse(traitsJson) as Record<string, unknown>;
  const texts = textsOf([user.id, ...anonymousIds], traits, secretTraits);
  const found: {readonly one: Written; readonly texts: readonly PersonText[]}[] = [];
  let turnMs = monotonicMs();
  for (const one of written) {
    const here = foundIn(one, texts);
    if (here.length > 0) found.push({one, texts: here});
    if (monotonicMs() - turnMs < turnMsMax) continue;
    await nextTurn();
    turnMs = monotonicMs();
  }
  const isNaming = await namingAmong(front, new Set(found.flatMap((each) => each.texts)));
  const naming = found.flatMap(({one, texts: here}) => {
    const ofPerson = here.filter((text) => isNaming.has(text));
    return ofPerson.length === 0 ? [] : [{one, texts: ofPerson}];
  });
  const properties = written.flatMap(({texts: all}) => all.flatMap(({property}) => property ?? []));
  const things =
    naming.length === 0 ? new Set<string>() : new Set([...front.writes.named.names.all(), ...properties].map(folded));
  const sure = naming.filter((each) => each.texts.some((text) => isSurely(text, each.one, things)));
  const ids = new Set(naming.map(({one}) => one.id));
  const sureIds = new Set(sure.map(({one}) => one.id));
  // With the links that show one of these saved reports or boards.
  const shares = sharesOf(front.kept.store).list();
  const shows = (share: Share, of: ReadonlySet<string>): boolean =>
    of.has(share.id) || ('follows' in share.of && of.has(share.of.follows));
  const following = shares.filter((share) => !ids.has(share.id) && shows(share, ids));
  return {
    naming: [
      ...naming.map(({one: {kind, id}}) => ({kind, id})),
      ...following.map(({id}) => ({kind: 'share', id}) as const),
    ],
    stopping: shares.filter((share) => shows(share, sureIds)).map(({id}) => id),
  };
}

/** All that is searched. */
function writtenHere({
  kept: {
    store,
    keys: {lists},
    messageId,
  },
}: Front): Written[] {
  const definitions = store.all().flatMap((definition) => writtenIn(definition) ?? []);
  const hiddenOf = (kind: 'hidden_name' | 'hidden_property', names: readonly string[]): Written[] =>
    names.map((name) => ({kind, id: messageId(kind, name), texts: [{text: name}]}));
  return [...definitions, ...hiddenOf('hidden_name', lists.names), ...hiddenOf('hidden_property', lists.properties)];
}

/** The texts that name the person. NB2 */
async function namingAmong(front: Front, texts: ReadonlySet<PersonText>): Promise<ReadonlySet<PersonText>> {
  const ofTraits = [...texts].filter(({text, trait}) => trait !== undefined && !isAddressOfPerson(text));
  // A public key may add any number of traits: those of a secret key are counted first, as they stop links.
  const [ofSecret, ofPublic] = [true, false].map((isSecret) =>
    ofTraits.filter(({trait}) => trait!.isSecret === isSecret),
  );
  const counted = [...ofSecret!, ...ofPublic!].slice(0, countedMax);
  const common = await Promise.all(counted.map(async (text) => ((await isCommon(front, text)) ? [text] : [])));
  const naming = new Set(texts);
  for (const text of common.flat()) naming.delete(text);
  return naming;
}

async function isCommon({reads: {asks}}: Front, {text, trait}: PersonText): Promise<boolean> {
  const where = [{property: trait!.property, op: trait!.op, values: [text]}];
  const query = {report: 'user_list', users: {where, did: []}, limit: fewUsers} as const;
  try {
    const gone = AbortSignal.timeout(countMsMax);
    const answer = await asks.report({ask: 'report', query}, {...ofService, gone});
    if (answer.kind !== 'report') return false;
    return (JSON.parse(answer.body ?? '{}') as {data?: readonly unknown[]}).data?.length === fewUsers;
  } catch (error) {
    if (error instanceof RequestFailure) return false;
    throw error;
  }
}

/** Stores what the receipt says, and stops links. NB1, NB3. @throws RequestFailure (503) */
export async function keepNaming(
  front: Front,
  exchange: Exchange,
  deletionId: string,
  {naming, stopping}: FoundNaming,
): Promise<void> {
  if (naming.length === 0) return;
  const author = authorOf(front, exchange);
  await storedChange(front, outcomeUnknown, async () => {
    await front.kept.store.bucket.write(recordName(deletionId), JSON.stringify({v: 1, naming}), 0);
    for (const id of stopping) {
      await sharesOf(front.kept.store).remove(id);
      await front.kept.revocations.add({what: 'share', id});
      front.kept.audit.defined('share.deleted', author, id);
    }
  });
}

/** What names the user of a deletion, by its receipt. @throws RequestFailure (503) */
export async function namedByOf(front: Front, deletionId: string): Promise<NamedBy[]> {
  if (!/^del_\w+$/.test(deletionId)) return []; // No name of a record.
  const entry = await front.kept.store.bucket.read(recordName(deletionId)).catch((error: unknown) => {
    throw error instanceof BucketFault ? new RequestFailure(notKnown) : error;
  });
  if (entry === undefined || entry.text === '') return [];
  return shownNaming(front, (JSON.parse(entry.text) as {naming: readonly Naming[]}).naming);
}

export const shownNaming = (front: Front, naming: readonly Naming[]): NamedBy[] =>
  naming.map(({kind, id}) => ({kind, id, is_there: titleOf(front, {kind, id}) !== undefined}));

/** How people know it; undefined: it is not there any more. */
export function titleOf(
  {
    kept: {
      store,
      keys: {lists},
      messageId,
    },
  }: Front,
  {kind, id}: Naming,
): string | undefined {
  if (kind === 'hidden_name') return lists.names.find((name) => messageId(kind, name) === id);
  if (kind === 'hidden_property') return lists.properties.find((name) => messageId(kind, name) === id);
  const definition = store.get(id) as
    | (Definition & Partial<Pick<SavedReport, 'name'> & {text: string; url: string}>)
    | undefined;
  return definition && (definition.name ?? definition.text ?? definition.url ?? '');
}
