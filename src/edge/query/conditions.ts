// Lists of conditions: the parameters `where` and `user_where`.
import {conditionsMax} from '../../../actors/limits.js';
import {type Condition, operators, takesNoValue} from '../../../actors/report/rows/condition.js';
import {readCondition} from '../../../actors/report/rows/condition-text.js';
import {nearestCondition} from '../../nearest.js';
import {optionalList, type TextForm} from './parameters.js';

export const condition: TextForm<Condition> = {
  schema: {type: 'string'},
  expected: `a condition like "plan eq pro": a property, one of ${operators.join(', ')}, and a value, which ${operators.filter(takesNoValue).join(', ')} do not have; a number for gt, gte, lt and lte`,
  parse: readCondition,
  nearest: nearestCondition,
};

/** Conditions by their texts, as questions have them. */
const conditionText: TextForm<string> = {
  ...condition,
  parse: (text) => (readCondition(text) === undefined ? undefined : text),
};

/** A member of a question that is a list of conditions. */
export const conditionTexts = (of: {readonly description?: string | undefined}) =>
  optionalList(conditionText, {countMax: conditionsMax, description: of.description!});

/** What `where` of a question means is said by its schema. */
const description =
  'Only events that meet this condition, as in `Conditions`: `plan eq pro`, `amount>=10`. All must hold.';
export const where = optionalList(condition, {countMax: conditionsMax, description});
export const whereTexts = conditionTexts({description});
