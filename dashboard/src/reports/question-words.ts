// Words that the questions of several reports share.
import {type Condition, conditionText} from '../address/conditions';
import type {OfUsers} from '../explained/explanation';
import {segmentName} from '../service/known-segments';
import type {WordRow} from './report';

export const once = 'Each event counts once, however often it was sent with its messageId.';
export const people = 'A device that is known to be a user counts as that user.';

export const and = (conditions: readonly Condition[]): string => conditions.map(conditionText).join(' and ');

export const userWords = ({user_where: conditions, segment, not_segment: others}: OfUsers): readonly WordRow[] => [
  ['Of users of', segment ? segmentName(segment) : ''],
  ['Of users whose', and(conditions)],
  ['Without users of', others ? segmentName(others) : ''],
];

export const byWords = (bys: readonly string[]): WordRow => [
  'By the values of',
  bys.map((by) => by.replace(/^trait:/, 'trait ')).join(', '),
];

/** An event with its conditions; null is one of any name. */
export const eventWords = (event: string | null, where: readonly Condition[]): string =>
  [event ?? 'any event', ...where.map(conditionText)].join(', ');
