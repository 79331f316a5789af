// What a cut writes of users: gathered for many users at once, and for each alone.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {UserDeltas} from '../../../actors/user/user-deltas.js';
import {runs} from '../../support/runs.js';

const dayMs = 86_400_000;
/** More than are gathered at once, several times. */
const userCount = 150;

const someGain = fc.record({
  // Few users have most of it, as in life: their lists are long where others' are over.
  user: fc.oneof(fc.nat(3), fc.nat(userCount - 1)),
  timeMs: fc.nat(40 * dayMs),
  isIdentify: fc.boolean(),
  closesChunk: fc.boolean(),
});

test('records of all users are those of each user, in order', () => {
  fc.assert(
    fc.property(
      fc.array(someGain, {maxLength: 3_000, size: 'max'}),
      fc.array(fc.nat(userCount - 1)),
      (gains, known) => {
        const deltas = new UserDeltas();
        let chunk = 0;
        for (const {user, timeMs, isIdentify, closesChunk} of gains) {
          if (isIdentify) {
            deltas.addIdentify(user, timeMs);
            if (timeMs % 2 === 0) deltas.addIdentifyId(user, Uint32Array.of(1, 2, timeMs), chunk);
          } else deltas.addEvent(user, timeMs, chunk);
          if (closesChunk) chunk += 1;
        }
        const traits = new Map(
          known.map((user) => [
            user,
            {json: `{"is":${user}}`, setMs: [user], isSecret: [user % 2 === 0], overLimit: 0},
          ]),
        );
        const touched = [...new Set(gains.map(({user}) => user))].sort((a, b) => a - b);
        expect([...deltas.records(traits)]).toEqual(touched.map((user) => deltas.record(user, traits.get(user))));
      },
    ),
    {numRuns: runs(60), seed: 7},
  );
});

test('chunks of a user come in order, each once, however many there are', () => {
  const deltas = new UserDeltas();
  const userOf = (event: number) => event % 40;
  for (let event = 0; event < 400_000; event++) deltas.addEvent(userOf(event), event, event >> 5);
  for (const {user, chunks} of deltas.records(new Map())) {
    const expected = new Set<number>();
    for (let event = user; event < 400_000; event += 40) expected.add(event >> 5);
    expect(chunks).toEqual([...expected]);
  }
});
