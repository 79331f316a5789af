import {expect, test} from 'vitest';
import {PartsMemory} from '../../../src/parts/parts-memory.js';
import {DerivedIndexes, idleMs} from '../../../src/report/derived/derived-indexes.js';
import {newRepeated, type Repeated, RepeatedQuestions} from '../../../src/report/derived/repeated-questions.js';

interface Named extends Repeated {
  readonly name: string;
}

function world() {
  const clock = {ms: 0};
  const logger = {debug: () => undefined, error: () => undefined} as never;
  const derived = new DerivedIndexes(new PartsMemory(1_600), logger, {clockMs: () => clock.ms});
  const forgotten: string[] = [];
  let named = 0;
  const newState = (): Named => ({...newRepeated(), name: `${(named += 1)}`});
  const questions = new RepeatedQuestions<Named>(derived, 1, ({name}) => forgotten.push(name));
  const asked = (key: string): Named => questions.asked(key, newState);
  return {clock, derived, questions, asked, forgotten};
}

test('a question is worth a value from the second time on, and again once what did not fit would', () => {
  const {clock, derived, questions, asked} = world();
  const others = derived.kind();
  others.keep('of others', {bytes: derived.builtBytesMax});
  expect(questions.isDue(asked('a'))).toBe(false);
  const state = asked('a');
  expect([questions.isDue(state), questions.isDue(asked('b'))]).toEqual([true, false]);
  state.refused = {keptBytes: 10, passingBytes: 0};
  expect(questions.isDue(state)).toBe(false);
  clock.ms = idleMs;
  expect(questions.isDue(asked('a'))).toBe(false);
  clock.ms += 1;
  expect(questions.isDue(asked('a'))).toBe(true); // The others are idle by now.
  others.drop('of others');
  expect([...questions.all()].map(({name}) => name)).toEqual(['2', '1']);
});

test('the question that was asked longest ago is forgotten first', () => {
  const {asked, forgotten} = world();
  for (let i = 0; i < 256; i++) asked(`${i}`);
  asked('0');
  expect(forgotten).toEqual([]);
  for (let i = 256; i < 259; i++) asked(`${i}`);
  expect(forgotten).toEqual(['2', '3', '4']);
  expect(asked('0').askCount).toBe(3);
});
