// The names of events that a page suggests one of, so that it shows something before anybody chose.

import type {NamesAnswer} from '../../../src/edge/answers/lists.js';
import type {Days} from '../address/range';
import {namesQuestion} from '../address/report-address';
import {useReports} from '../service/reports';

const askedMax = 200;

/** The most frequent names of these days, the most frequent first. `days` undefined: they are not asked for. */
export function useNames(days: Days | undefined) {
  const {shown, again} = useReports(undefined, days && [namesQuestion(days, askedMax)]);
  const report = shown?.reports[0];
  return {value: report?.value as NamesAnswer | undefined, fault: report?.fault, again};
}
