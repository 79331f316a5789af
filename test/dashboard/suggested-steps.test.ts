// The steps that Funnels begins with.
import {expect, test} from 'vitest';
import {suggestedSteps} from '../../dashboard/src/controls/suggested-steps.js';

test.each([
  [
    ['page_viewed', 'signup', 'order_placed', 'subscribed'],
    ['signup', 'order_placed'],
  ],
  [
    ['page_viewed', 'clicked'],
    ['page_viewed', 'clicked'],
  ],
  [
    ['order_placed', 'page_viewed'],
    ['order_placed', 'page_viewed'],
  ],
  [['signup'], ['signup']],
  [[], []],
])('of %j are %j', (names, steps) => {
  expect(suggestedSteps(names)).toEqual(steps);
});
