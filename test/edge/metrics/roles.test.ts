import {expect, test} from 'vitest';
import {families} from '../../../src/edge/metrics/families.js';
import type {View} from '../../../src/edge/metrics/view.js';

const up = families.find(({name}) => name === 'millrace_up')!;

const rolesOf = (webhooks: number, view: Partial<View>): unknown =>
  Object.fromEntries(
    up
      .read({
        partitions: [],
        report: undefined,
        deliver: undefined,
        front: {kept: {store: {endpoints: {list: () => new Array(webhooks)}}}},
        ...view,
      } as unknown as View)
      .map(({labels, value}) => [labels.role, value]),
  );

test('a deployment whose ROLES know of no deliveries hears of it as soon as it has a webhook', () => {
  expect(rolesOf(0, {})).toEqual({edge: 1, report: 0});
  expect(rolesOf(1, {})).toEqual({edge: 1, report: 0, deliver: 0});
  expect(rolesOf(1, {deliver: {} as View['deliver']})).toEqual({edge: 1, report: 0, deliver: 1});
});
