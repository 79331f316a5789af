// Lists of users over random partitions equal the model.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {ReportQuery} from '../../../../src/asks/report.js';
import type {UserRules} from '../../../../src/asks/user-filter.js';
import type {UserSort} from '../../../../src/asks/user-list.js';
import {readUserCursor, userCursorText} from '../../../../src/user-cursor.js';
import {formatTime} from '../../../../tools/model/calendar.js';
import {holdAll} from '../../../../tools/model/conditions.js';
import {userKeyOf} from '../../../../tools/model/model.js';
import {
  atMostOne,
  events,
  partitionCount,
  partitionOfUser,
  type Step,
  someCondition,
  someDeed,
  someRange,
  someStory,
  tell,
  type World,
} from '../../../support/report-worlds.js';
import {runs} from '../../../support/runs.js';

type Query = Extract<ReportQuery, {report: 'user_list'}>;

/** Which index each user has in its partition: a new one after an erasure. */
function indexesOf(story: readonly Step[]): Map<string, number> {
  const indexes = new Map<string, number>();
  const next = new Array<number>(partitionCount).fill(0);
  for (const step of story) {
    if (step.do === 'erase') indexes.delete(step.user);
    const user = step.do === 'track' ? step.event.user : step.do === 'identify' ? step.user : undefined;
    if (user === undefined || indexes.has(user)) continue;
    const partition = partitionOfUser(user);
    indexes.set(user, next[partition]!);
    next[partition]! += 1;
  }
  return indexes;
}

/** All numbers of these worlds add up exactly. */
function sortValueOf(ofUser: World['model']['events'], {events, property}: UserSort): number | null {
  const {event, where, fromMs, toMs} = events;
  const meant = ofUser.filter(
    ({name, timeMs, properties}) =>
      (event ?? name) === name && fromMs <= timeMs && timeMs <= toMs && holdAll(properties, where),
  );
  if (property === undefined) return meant.length;
  const numbers = meant.map(({properties}) => properties[property]).filter((value) => typeof value === 'number');
  return numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number, 0);
}

function usersOf({model}: World, indexes: ReadonlyMap<string, number>, {prefix = '', search, users, sort}: Query) {
  const known = [...indexes.keys()].map((id) => {
    const ofUser = model.events.filter(({user}) => user.id === id);
    const profile = model.profiles.get(userKeyOf({kind: 'user', id}));
    const times = ofUser.map(({timeMs}) => timeMs);
    // In these worlds identifies happen at the time 0.
    const createdMs = Math.min(...times, ...(profile === undefined ? [] : [0]));
    const lastMs = times.length === 0 ? 0 : Math.max(...times);
    const traits = Object.fromEntries(profile?.traits ?? []);
    const meets = ({where: ofTraits, did}: UserRules): boolean =>
      holdAll(traits, ofTraits) &&
      did.every(({event, where, fromMs, toMs, isAbsent}) => {
        const found = ofUser.some(
          ({name, timeMs, properties}) =>
            (event ?? name) === name && fromMs <= timeMs && timeMs <= toMs && holdAll(properties, where),
        );
        return found !== isAbsent;
      });
    const isMeant = users === undefined || (meets(users) && (users.except === undefined || !meets(users.except)));
    return {id, createdMs, lastMs, traits, isMeant, value: sort && sortValueOf(ofUser, sort)};
  });
  const isFound = ({id, traits}: {readonly id: string; readonly traits: Record<string, unknown>}): boolean =>
    search === undefined ||
    [id, ...search.traits.map((name) => traits[name])].some(
      (text) =>
        (typeof text === 'string' || typeof text === 'number') &&
        `${text}`.toUpperCase().includes(search.text.toUpperCase()),
    );
  return known
    .filter((one) => one.id.startsWith(prefix) && isFound(one) && one.isMeant)
    .sort(
      (a, b) =>
        // Infinities without a value differ by NaN: then places decide.
        (sort ? (b.value ?? -Infinity) - (a.value ?? -Infinity) : b.lastMs - a.lastMs) ||
        partitionOfUser(a.id) - partitionOfUser(b.id) ||
        indexes.get(a.id)! - indexes.get(b.id)!,
    )
    .map(({id, createdMs, lastMs, traits, value}) => ({
      id,
      kind: 'user',
      ...(value === undefined ? {} : {value}),
      created_at: formatTime(createdMs),
      last_seen: formatTime(lastMs),
      traits,
    }));
}

/** Sums of one user at a time. */
const tightBytes = 1_000;

const someSort = fc
  .tuple(
    someRange,
    fc.constantFrom(...events, undefined),
    atMostOne(someCondition),
    fc.constantFrom('a', 'b', undefined),
  )
  .map(([range, event, where, property]) => ({
    events: {...range, ...(event === undefined ? {} : {event}), where},
    ...(property === undefined ? {} : {property}),
  }));

const someRules = fc.record({
  where: fc.constantFrom(
    [],
    [{property: 'a', op: 'set' as const, values: []}],
    [{property: 'b', op: 'ne' as const, values: ['1']}],
  ),
  did: fc.array(someDeed, {maxLength: 3}),
});

test('users, with what they did and their traits, equal the model, in pages of any size', async () => {
  const someQuery = fc.record(
    {
      report: fc.constant('user_list' as const),
      prefix: fc.constantFrom('a', 'b', 'nobody'),
      search: fc.record({text: fc.constantFrom('A', 'd', 'R', '1', 'nobody'), traits: fc.subarray(['a', 'b'])}),
      users: fc
        .tuple(someRules, fc.option(someRules, {nil: undefined}))
        .map(([rules, except]) => ({...rules, ...(except && {except})})),
      sort: someSort,
      limit: fc.integer({min: 1, max: 6}),
    },
    {requiredKeys: ['report', 'limit']},
  );
  const property = fc.asyncProperty(someStory, someQuery, fc.boolean(), async (story, query, isTight) => {
    const world = tell(story);
    const listed: unknown[] = [];
    for (let asked: Query | undefined = query; asked !== undefined; ) {
      const answer = (await world.ask(asked, isTight ? tightBytes : undefined)) as {
        data: object[];
        has_more: boolean;
        next_cursor: string | null;
      };
      expect(answer.has_more).toBe(answer.next_cursor !== null);
      if (answer.has_more) expect(answer.data).toHaveLength(query.limit);
      listed.push(...answer.data);
      const after = answer.next_cursor === null ? undefined : readUserCursor(answer.next_cursor, query)!;
      asked = after && {...query, after};
    }
    expect(listed).toEqual(usersOf(world, indexesOf(story), query));
  });
  await fc.assert(property, {numRuns: runs(150)});
});

test('a cursor belongs to its list', () => {
  const query: Query = {report: 'user_list', limit: 1};
  expect(readUserCursor('x', query)).toBeUndefined();
  const sort = {events: {where: [], fromMs: 0, toMs: 1}};
  const ofSort = userCursorText({...query, sort}, {rank: 3, partition: 0, user: 2});
  expect(readUserCursor(ofSort, {...query, sort})).toEqual({rank: 3, partition: 0, user: 2});
  const others: Query[] = [
    query,
    {...query, sort: {...sort, property: 'a'}},
    {...query, sort: {events: {...sort.events, toMs: 2}}},
  ];
  for (const other of others) expect(readUserCursor(ofSort, other)).toBeUndefined();
  const text = Buffer.from(JSON.stringify(['x', 1, 0, 0])).toString('base64url');
  expect(readUserCursor(text, query)).toBeUndefined();
});
