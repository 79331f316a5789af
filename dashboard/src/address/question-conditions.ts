// Conditions as questions have them.
import type {ConditionMember} from '../../../src/asks/question/members.js';
import {type Condition, readCondition} from './conditions.js';

/** One whose property is too long for a text is an object. */
export const conditionsIn = (members: readonly ConditionMember[] = []): readonly Condition[] =>
  members.map((one) =>
    typeof one === 'string'
      ? readCondition(one)!
      : {property: one.property, op: one.op, values: [one.value ?? []].flat().map(String)},
  );
