// A condition of the API in words.
import {conditionText, readCondition} from './conditions.js';

/** `plan is pro` for the API's `plan eq pro`. */
export function conditionWords(text: string): string {
  const condition = readCondition(text);
  return condition === undefined ? text : conditionText(condition);
}
