// The cases of docs/api/people.md, Identity, in the slow model.
import {expect, test} from 'vitest';
import {profileOf} from '../../tools/model/history.js';
import {type EventBody, Model, receivedAt} from '../../tools/model/model.js';

const noon = receivedAt(Date.UTC(2024, 0, 1, 12));

/** `ada:a visit` of both ids, `:a visit` of the anonymousId alone, `ada buy` of the userId, `-ada` a deletion; each a second later. */
function told(...lines: string[]): Model {
  const model = new Model(true);
  for (const [second, line] of lines.entries()) {
    if (line.startsWith('-')) {
      model.delete({kind: 'user', id: line.slice(1)});
      continue;
    }
    const [ids, event, messageId] = line.split(' ') as [string, string, string?];
    const [userId, anonymousId] = ids.split(':');
    const body: EventBody = {event, messageId: messageId ?? null, timestamp: `2024-01-01T00:00:0${second}Z`};
    model.event({...body, userId: userId || null, anonymousId: anonymousId ?? null}, noon);
  }
  return model;
}

const of = (model: Model, id: string, kind: 'user' | 'anonymous' = 'user'): string[] | undefined =>
  profileOf(model, {kind, id})
    ?.rows.map(({name}) => name)
    .reverse();

test('what came with the anonymousId alone, before and after, is of its first user', () => {
  const model = told(':a visit', 'ada:a sign-up', ':a late', ':b other', 'ada:b log-in');
  expect(of(model, 'ada')).toEqual(['visit', 'sign-up', 'late', 'other', 'log-in']);
  expect(of(model, 'a', 'anonymous')).toBeUndefined();
  expect(profileOf(model, {kind: 'user', id: 'ada'})?.anonymousIds).toEqual(['a', 'b']);
  expect([model.delete({kind: 'anonymous', id: 'a'}), model.joining.get('user:ada')]).toEqual([undefined, 0]);
});

test('from the second user on it is nobody, also once the first one is deleted', () => {
  const lines = [':a visit', 'ada:a in', 'bob:a in', ':a alone'];
  const model = told(...lines);
  expect([of(model, 'ada'), of(model, 'bob'), of(model, 'a', 'anonymous')]).toEqual([
    ['visit', 'in'],
    ['in'],
    ['alone'],
  ]);
  expect(of(told(...lines, '-ada', 'cyd:a in', ':a later'), 'a', 'anonymous')).toEqual(['alone', 'later']);
});

test('a deletion takes the joined ones and the joins along', () => {
  const model = told(':a visit', 'ada:a in', '-ada', ':a fresh');
  expect([of(model, 'ada'), of(model, 'a', 'anonymous')]).toEqual([undefined, ['fresh']]);
  const copied = told('ada:a in m', '-ada', 'ada:a in m');
  expect([of(copied, 'ada'), copied.delete({kind: 'user', id: 'ada'})]).toEqual([undefined, 0]);
  expect(copied.delete({kind: 'user', id: 'ada'})).toBeUndefined();
});

test('a messageId of the person comes once, whichever id it came with', () => {
  const model = told(':a visit m', 'ada buy n', 'ada:a visit m', ':a buy n');
  expect([of(model, 'ada'), model.joining.get('user:ada')]).toEqual([['visit', 'buy'], 1]);
});
