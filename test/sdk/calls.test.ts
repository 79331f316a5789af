// What the SDK makes of calls before they are queued: ids, addresses, and the types of an application's events.
import {describe, expect, test} from 'vitest';
import {campaignOf, cleanAddress} from '../../packages/sdk/src/address.js';
import {type AnyEvents, newId, type TrackArguments} from '../../packages/sdk/src/calls.js';

test('ids sort in the order in which they are made, also within a millisecond and after a clock went back', () => {
  const beganMs = Date.parse('2026-05-01');
  const times = Array.from({length: 10_000}, (_, at) =>
    at < 9_000 ? beganMs + Math.floor(at / 100) : beganMs - 7_200_000,
  );
  const ids = times.map(newId);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids.map((id) => id.slice(8))).size, 'and have a part that nobody guesses').toBe(10_000);
  for (const id of ids.slice(0, 100)) expect(id).toMatch(/^[0-9a-z]{10,40}$/);
});

test('an address keeps of its query what belongs to a campaign or was named, and no fragment and no password', () => {
  const cleanOf = (text: string): string | undefined => cleanAddress(text, ['ref', 'tab'])?.href;
  expect(cleanOf('https://ada:secret@shop.example/a?token=1&utm_source=x&ref=2&utm_x=3&REF=4#access_token=5')).toBe(
    'https://shop.example/a?utm_source=x&ref=2&utm_x=3',
  );
  expect(cleanOf('https://shop.example/a?token=1')).toBe('https://shop.example/a');
  expect(cleanOf('https://shop.example/a?tab=1&tab=2')).toBe('https://shop.example/a?tab=1&tab=2');
  expect(cleanOf('')).toBeUndefined();
  expect(cleanOf('/a')).toBeUndefined();
});

test('the campaign of a page is in the words of the vocabulary', () => {
  const words = 'utm_source=letter&utm_medium=mail&utm_campaign=may&utm_term=t&utm_content=c&utm_id=7';
  expect(campaignOf(new URL(`https://shop.example/?${words}&ref=x`))).toEqual({
    source: 'letter',
    medium: 'mail',
    name: 'may',
    term: 't',
    content: 'c',
    id: '7',
  });
  expect(campaignOf(new URL('https://shop.example/?ref=x'))).toBeUndefined();
});

describe('the types of an application', () => {
  interface Events {
    readonly order_paid: {readonly amount: number};
    readonly signed_up: undefined;
  }
  const track = <Of extends object, Name extends keyof Of & string>(event: Name, ...more: TrackArguments<Of[Name]>) => [
    event,
    ...more,
  ];
  const typed = <Name extends keyof Events & string>(event: Name, ...more: TrackArguments<Events[Name]>) =>
    track<Events, Name>(event, ...more);
  const any = <Name extends string>(event: Name, ...more: TrackArguments<AnyEvents[Name]>) => [event, ...more];

  test('know names and properties; without them every name is one', () => {
    expect(typed('order_paid', {amount: 12}, {timestamp: '2026-05-01'})).toHaveLength(3);
    expect(typed('signed_up')).toEqual(['signed_up']);
    expect(any('whatever')).toEqual(['whatever']);
    expect(any('whatever', {n: 1})).toEqual(['whatever', {n: 1}]);
    // @ts-expect-error: amount is missing.
    typed('order_paid');
    // @ts-expect-error: amount is a number.
    typed('order_paid', {amount: '12'});
    // @ts-expect-error: no such event.
    typed('order_payed', {amount: 12});
  });
});
