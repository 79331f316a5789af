// Mutations of a JSON value before it is text: wrong types, wrong places, bounds and values beyond them.
import type {Random} from '../random.js';
import type {Json} from './templates.js';

type JsonObject = {[name: string]: Json};

const loneSurrogates = ['\ud800', '\udfff', 'a\ud800b', '\udc00\ud800'];
const oddTexts = [
  '',
  ' ',
  '.',
  '..',
  '\0',
  'a\0b',
  '\u001f',
  '\u007f',
  '\ufeff',
  '\u2028',
  '/',
  '%2F',
  '%',
  '__proto__',
  'constructor',
  'a'.repeat(256),
  'a'.repeat(257),
  '😀'.repeat(256),
  '😀'.repeat(257),
  'x'.repeat(70_000),
  ...loneSurrogates,
];
const oddNumbers = [0, -0, 1e308, -1e308, 5e-324, 2 ** 53, -(2 ** 53) - 2, 1.5, 1e21];
const oddTimes = [
  '2026-02-30',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:00:60Z',
  '2199-01-01T00:00:00Z',
  '1969-12-31',
  '0000-00-00',
  '2026-01-01T00:00:00.123456789123456789Z',
  '2026-01-01T00:00:00+99:99',
  '2026-01-01t00:00:00z',
  '+002026-01-01',
  '1767225600',
  'now',
];
const fields = [
  'event',
  'userId',
  'anonymousId',
  'properties',
  'traits',
  'timestamp',
  'messageId',
  'events',
  'kind',
  'name',
];

const anything = (random: Random): Json =>
  random.pick<() => Json>([
    () => null,
    () => random.chance(0.5),
    () => random.pick(oddNumbers),
    () => random.pick(oddTexts),
    () => [],
    () => ({}),
    () => [[[]]],
    () => nest(random.between(8, 14)),
    () => wide(random.between(250, 260)),
    () => Array.from({length: random.between(1, 2_000)}, (_, i) => i),
  ])();

const nest = (depth: number): Json => (depth === 0 ? 1 : {d: nest(depth - 1)});
const wide = (keys: number): Json => Object.fromEntries(Array.from({length: keys}, (_, i) => [`k${i}`, i]));

const isSmall = (value: Json): boolean => JSON.stringify(value).length < 2_000;

/** One of the objects in the value: itself, an event of a batch, properties. */
function somewhere(value: Json, random: Random): JsonObject | undefined {
  const objects: JsonObject[] = [];
  const collect = (one: Json): void => {
    if (objects.length > 40 || one === null || typeof one !== 'object') return;
    if (!Array.isArray(one)) objects.push(one);
    for (const inner of Object.values(one)) collect(inner);
  };
  collect(value);
  return objects.length === 0 ? undefined : random.pick(objects);
}

const inObject =
  (mutate: (object: JsonObject, random: Random) => void) =>
  (value: Json, random: Random): Json => {
    const object = somewhere(value, random);
    if (object !== undefined) mutate(object, random);
    return value;
  };

export const valueMutations: Readonly<Record<string, (value: Json, random: Random) => Json>> = {
  'another value for a field': inObject((object, random) => {
    const names = Object.keys(object);
    if (names.length > 0) object[random.pick(names)] = anything(random);
  }),
  'a field of another kind of body': inObject((object, random) => {
    object[random.pick(fields)] = anything(random);
  }),
  'a field gone': inObject((object, random) => {
    const names = Object.keys(object);
    if (names.length > 0) delete object[random.pick(names)];
  }),
  'an odd text in a field': inObject((object, random) => {
    object[random.pick(fields)] = random.pick(oddTexts);
  }),
  'an odd time': inObject((object, random) => {
    object.timestamp = random.pick(oddTimes);
  }),
  'an odd key': inObject((object, random) => {
    const key = random.pick([...oddTexts, 'toString', 'hasOwnProperty', '0', '4294967295', '-1', 'length']);
    Object.defineProperty(object, key, {value: anything(random), enumerable: true, configurable: true, writable: true});
  }),
  'many keys': inObject((object, random) => {
    const count = random.pick([255, 256, 257, 5_000]);
    for (let i = 0; i < count; i++) object[random.chance(0.5) ? `k${i}` : String(i * 7_919)] = i;
  }),
  'a deep value': inObject((object, random) => {
    object.properties = nest(random.pick([9, 10, 11, 31, 32, 33, 100]));
  }),
  'something else altogether': (_, random) => anything(random),
  'wrapped in an array': (value) => [value],
  'wrapped in events': (value) => ({events: [value, value]}),
  'no events': () => ({events: []}),
  'too many events': (value) => ({events: Array.from({length: 1_001}, () => (isSmall(value) ? value : {}))}),
  'events that are none': (_, random) => ({
    events: Array.from({length: random.between(1, 200)}, () => anything(random)),
  }),
};
