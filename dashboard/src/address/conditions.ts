// Conditions on properties and traits as parts of an address, in the form of the API: `where=plan eq pro`.
//   CN1. Of several series or steps the number comes first, from 1: `where=2:plan eq pro`.
import {conditionsMax} from '../../../actors/limits.js';
import {type Condition, type Operator, operators, takesNoValue} from '../../../actors/report/rows/condition.js';
import {readCondition, writeCondition} from '../../../actors/report/rows/condition-text.js';
import {one, type Parameter} from './codec.js';

export type {Condition, Operator};
export {conditionsMax, operators, readCondition, takesNoValue, writeCondition};

const expected = 'a condition such as "plan eq pro" or "amount gte 10"';

/** A parameter of up to `conditionsMax` conditions, all of which must hold. */
export const conditions: Parameter<readonly Condition[]> = {
  absent: [],
  expected: `${expected}, up to ${conditionsMax}`,
  isPart: (text) => readCondition(text) !== undefined,
  read: (texts) => (texts.length <= conditionsMax ? texts.map((text) => readCondition(text)!) : undefined),
  write: (all) => all.map(writeCondition),
};

/** A parameter of the id of a segment; null: all users. */
export const segment: Parameter<string | null> = one<string | null>(
  null,
  'the id of a segment',
  (text) => (/^sg_[0-9a-f]{16}$/.test(text) ? text : undefined),
  (text) => text,
);

/** The users that a question is about. */
export const usersOf = (question: {
  readonly user_where: readonly Condition[];
  readonly segment?: string | null | undefined;
}) => ({where: question.user_where.map(writeCondition), segment: question.segment ?? undefined});

/** Lists of conditions by the place of what they are of: index 0 is of the first one. */
type Numbered = readonly (readonly Condition[])[];

const numbered = /^([1-9]\d?):([\s\S]+)$/;

function readNumbered(text: string, countMax: number): {at: number; condition: Condition} | undefined {
  const [, number, rest] = numbered.exec(text) ?? [];
  const condition = rest === undefined ? undefined : readCondition(rest);
  return condition === undefined || Number(number) > countMax ? undefined : {at: Number(number) - 1, condition};
}

/** CN1. Conditions of up to `countMax` series or steps. */
export const numberedConditions = (countMax: number): Parameter<Numbered> => ({
  absent: [],
  expected: `${expected} after the number of its event: 2:plan eq pro`,
  isPart: (text) => readNumbered(text, countMax) !== undefined,
  read: (texts) => {
    const lists: Condition[][] = [];
    for (const text of texts) {
      const {at, condition} = readNumbered(text, countMax)!;
      while (lists.length <= at) lists.push([]);
      lists[at]!.push(condition);
    }
    return lists.every(({length}) => length <= conditionsMax) ? lists : undefined;
  },
  write: (lists) => lists.flatMap((list, at) => list.map((one) => `${at + 1}:${writeCondition(one)}`)),
});

// -- Words -------------------------------------------------------------------------------------------------------------

export const operatorWords: Readonly<Record<Operator, string>> = {
  eq: 'is',
  ne: 'is not',
  in: 'is one of',
  nin: 'is none of',
  contains: 'contains',
  ncontains: 'does not contain',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  set: 'is set',
  unset: 'is not set',
  null: 'is null',
  nnull: 'is not null',
  has: 'has the element',
};

/** `plan is pro`, `plan is one of pro, team`, `coupon is not set`. */
export const conditionText = ({property, op, values}: Condition): string =>
  [property, operatorWords[op], values.join(', ')].filter((part) => part !== '').join(' ');
