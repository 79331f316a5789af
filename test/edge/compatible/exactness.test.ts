// What every translator owes to the stored form: nothing is changed on the way, whatever a vendor calls the field.
import {expect, test} from 'vitest';
import type {CallForm} from '../../../src/edge/compatible/translator.js';
import {entriesOf, readAll} from './native-entries.js';

const vendors: readonly (readonly [string, CallForm, place: string, call: string])[] = [
  ['segment', {vendor: 'segment'}, 'properties', '{"type":"track","event":"a","userId":"u","properties":{"x":X}}'],
  ['segment', {vendor: 'segment'}, 'category', '{"type":"page","category":X,"userId":"u"}'],
  ['segment', {vendor: 'segment'}, 'groupId', '{"type":"group","groupId":X,"userId":"u"}'],
  ['posthog', {vendor: 'posthog'}, 'properties', '{"event":"a","distinct_id":"u","properties":{"x":X}}'],
  ['posthog', {vendor: 'posthog'}, '$set', '{"event":"$set","distinct_id":"u","$set":{"x":X}}'],
  ['posthog', {vendor: 'posthog'}, '$set_once', '{"event":"$set","distinct_id":"u","$set_once":{"x":X}}'],
  [
    'mixpanel',
    {vendor: 'mixpanel', kind: 'track'},
    'properties',
    '{"event":"a","properties":{"distinct_id":"u","x":X}}',
  ],
  ['mixpanel', {vendor: 'mixpanel', kind: 'engage'}, '$set', '{"$distinct_id":"u","$set":{"x":X}}'],
  [
    'amplitude',
    {vendor: 'amplitude'},
    'event_properties',
    '{"event_type":"a","user_id":"u","event_properties":{"x":X}}',
  ],
  ['amplitude', {vendor: 'amplitude'}, 'user_properties', '{"event_type":"a","user_id":"u","user_properties":{"x":X}}'],
  ['amplitude', {vendor: 'amplitude'}, 'session_id', '{"event_type":"a","user_id":"u","session_id":X}'],
  ['umami', {vendor: 'umami'}, 'payload', '{"type":"event","payload":{"id":"u","data":{"x":X}}}'],
  ['umami', {vendor: 'umami'}, 'payload', '{"type":"identify","payload":{"id":"u","data":{"x":X}}}'],
  [
    'openpanel',
    {vendor: 'openpanel'},
    'payload',
    '{"type":"track","payload":{"name":"a","profileId":"u","properties":{"x":X}}}',
  ],
  [
    'openpanel',
    {vendor: 'openpanel'},
    'payload',
    '{"type":"identify","payload":{"profileId":"u","properties":{"x":X}}}',
  ],
];

test.each(vendors)(
  '%s: a number that a double would change is refused, not stored (%s, %s)',
  (_, form, place, call) => {
    const withNumber = (digits: string) => readAll(`[${call.replace('X', digits)}]`, form);
    const {refused, eventCount} = withNumber('1234567890123456789');
    expect(eventCount).toBe(0);
    for (const {refusal} of refused)
      expect(refusal).toMatchObject({field: place, message: expect.stringContaining('1234567890123456789')});
    expect(refused.length).toBeGreaterThan(0);
    const exact = withNumber('9223372036854776000');
    expect(exact.refused).toEqual([]);
    expect(JSON.stringify(entriesOf(exact))).toContain('9223372036854776000');
  },
);

test.each(vendors.filter(([, , , call]) => call.includes('"x"')))(
  '%s: a key __proto__ is refused, not lost (%s, %s)',
  (_, form, __, call) => {
    const reading = readAll(`[${call.replace('"x":X', '"__proto__":{"y":1}')}]`, form);
    expect(reading.refused).toMatchObject([
      {index: 0, refusal: {code: 'invalid_event', message: expect.stringContaining('__proto__')}},
    ]);
  },
);
