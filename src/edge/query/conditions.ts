// The parameters `where` and `user_where`: lists of conditions.
import {conditionsMax} from '../../../actors/limits.js';
import {type Condition, operators, takesNoValue} from '../../../actors/report/rows/condition.js';
import {readCondition} from '../../../actors/report/rows/condition-text.js';
import {optionalList, type TextForm} from './parameters.js';

export const condition: TextForm<Condition> = {
  schema: {type: 'string'},
  expected: `a condition like "plan eq pro": a property, one of ${operators.join(', ')}, and a value, which ${operators.filter(takesNoValue).join(', ')} do not have; a number for gt, gte, lt and lte`,
  parse: readCondition,
};

export const conditions = (description: string) => optionalList(condition, {countMax: conditionsMax, description});

export const where = conditions(
  'Only events that meet this condition, `<property> <op> <value>`: `plan eq pro`, `amount gte 10`, `plan in pro,team`, ' +
    '`coupon unset`. Up to ten, of which all must hold. Operators: `eq ne in nin contains ncontains gt gte lt lte set unset ' +
    'null nnull has` (an element of a list). `ne`, `nin`, `ncontains`, `unset` and `nnull` hold where the property is missing; ' +
    '`set` also where it is null; `gt` to `lte` ' +
    'compare JSON numbers alone. A name with an operator in it stands in double quotes.',
);

export const userWhere = conditions(
  'Only events of users whose current traits meet this condition, in the form of `where`: `plan eq pro`. Up to ten, of which ' +
    'all must hold.',
);
