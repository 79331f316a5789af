// What a fault of the store refuses: writes, if it is one of the logs; and the words of it for an operator.
import {expect, test} from 'vitest';
import {Obstacles} from '../../src/edge/admission/obstacles.js';

const obstaclesOf = (fault: string): Obstacles =>
  new Obstacles({
    storeFault: () => fault,
    log: () => 'answers',
    asks: () => 'answers',
    logRefusals: () => [],
    isLogOpen: () => true,
  });

/** In nats-server's words: its `/healthz` is JSON. */
const faultOf = (stream: string, why: string): string =>
  `{"status":"unavailable","error":"JetStream stream '$G \\u003e ${stream}' write error: ${why}"}`;

test('a log on a full disk refuses events, and says what it needs', () => {
  const obstacles = obstaclesOf(faultOf('LOG-1', 'no space left on device'));
  expect(obstacles.toWriting()).toMatchObject({message: 'the log cannot write now: nothing was stored'});
  expect(obstacles.reasons()).toEqual([
    'the log cannot write: nats-server needs disk space, and is restarted once there is some',
  ]);
});

test('a damaged file of definitions refuses no event, and says the cure', () => {
  const obstacles = obstaclesOf(faultOf('KV_hooks', 'malformed or corrupt message in 1.blk: invalid checksum'));
  expect(obstacles.toWriting()).toBeUndefined();
  expect(obstacles.reasons()).toEqual([
    'nats-server cannot write the stream KV_hooks: a file of its store is damaged; restore a backup',
  ]);
});

test('a fault that names no stream refuses events', () => {
  expect(obstaclesOf('write error').toWriting()).toBeDefined();
});
