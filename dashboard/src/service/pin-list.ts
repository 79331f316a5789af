// The pins of a board: reports, each with its own days. The board's page has the days that are shown.
import {addressOf, type KeptReport} from '../../../src/asks/address.js';
import {readable} from '../../../src/asks/question/readable-query.js';

/** Number of tiles that the service stores at most (src/kept/board.ts). */
export const pinsMax = 12;

const ofDays = ['range', 'zone', 'every', 'weeks', 'compare', 'often', 'show', 'look'];

/** What a report asks, whatever its days: reports that differ in these alone are one pin. `/funnels?step=signup&step=purchase`. */
export function pinKey(report: KeptReport): string {
  const {page, search} = addressOf(report);
  const query = new URLSearchParams(search);
  for (const name of ofDays) query.delete(name);
  const asked = readable(query.toString());
  return asked === '' ? page : `${page}?${asked}`;
}

/** The pins with one moved to the place of another. `key`: that of the one. */
export function moved<Pin extends KeptReport>(pins: readonly Pin[], key: string, to: number): readonly Pin[] {
  const isMoved = (pin: Pin): boolean => pinKey(pin) === key;
  const others = pins.filter((one) => !isMoved(one));
  return [...others.slice(0, to), ...pins.filter(isMoved), ...others.slice(to)];
}
