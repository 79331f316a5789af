import {expect, test} from 'vitest';
import {newSecret, rotated, rotationMs, signatures, validSecrets} from '../../src/webhooks/signature.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

// As the library standardwebhooks 1.1.1 signs.
test.each([
  [
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1_614_265_330,
    '{"test": 2432232314}',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ],
  [
    'msg_000000000000000000000000000',
    1_782_900_000,
    '{"type":"event.tracked","data":{"name":"Zoë 🙂"}}',
    'v1,sQf4hID/NLx8FW/2KIgcI2yTaUE+rl72xJp73pOj6rU=',
  ],
])('%s is signed as Standard Webhooks says', (id, seconds, body, signature) => {
  expect(signatures([secret], id, seconds, body)).toBe(signature);
});

test('a secret that was replaced signs for a day, also if another one follows at once', () => {
  const first = newSecret();
  expect(Buffer.from(first.slice('whsec_'.length), 'base64').length).toBe(32);
  const once = rotated([{value: first}], newSecret(), 1_000);
  const twice = rotated(once, newSecret(), 2_000);
  expect(validSecrets({secrets: once}, 1_000 + rotationMs - 1)).toEqual(once.map(({value}) => value));
  expect(validSecrets({secrets: once}, 1_000 + rotationMs)).toEqual([once[0]!.value]);
  expect(validSecrets({secrets: twice}, 1_000 + rotationMs - 1)).toEqual([twice[0]!.value, once[0]!.value, first]);
  expect(validSecrets({secrets: twice}, 1_000 + rotationMs)).toEqual([twice[0]!.value, once[0]!.value]);
  expect(validSecrets({secrets: twice}, 2_000 + rotationMs)).toEqual([twice[0]!.value]);
  expect(signatures(validSecrets({secrets: twice}, 2_000), 'msg_1', 1, '{}').split(' ').length).toBe(3);
  expect(rotated(twice, newSecret(), 1_000 + rotationMs).map(({value}) => value)).not.toContain(first);
});
