// The command line of `npm run fuzz:http`.
import {parseArgs} from 'node:util';

export interface Options {
  readonly count: number;
  readonly seed: number;
  /** Valid events that are sent before the first reading of the memory. */
  readonly warmUpEvents: number;
  /** Sends this request alone, and prints it. */
  readonly only: number | undefined;
}

export const usage = 'usage: npm run fuzz:http -- [--n REQUESTS] [--seed S] [--warm-up EVENTS] [--only INDEX]';

/** Undefined for an invalid command line. */
export function readOptions(words: string[]): Options | undefined {
  try {
    const text = {type: 'string'} as const;
    const {values} = parseArgs({args: words, options: {n: text, seed: text, 'warm-up': text, only: text}});
    const {n = '10000', seed = '1', 'warm-up': warmUp = '120000', only} = values;
    const numbers = [n, seed, warmUp, only ?? '0'].map(Number);
    if (numbers.some((value) => !Number.isSafeInteger(value) || value < 0) || numbers[0] < 1) return undefined;
    const [count, seedNumber, warmUpEvents, onlyIndex] = numbers;
    return {count, seed: seedNumber, warmUpEvents, only: only === undefined ? undefined : onlyIndex};
  } catch (error) {
    if (error instanceof TypeError && 'code' in error) return undefined; // ERR_PARSE_ARGS_*
    throw error;
  }
}
