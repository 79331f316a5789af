// The pins of a board: reports, each with its own days.

import {addressOf, type KeptReport} from '../../../src/asks/address.js';
import {homeZone} from '../address/zone.js';

/** Number of tiles that the service stores at most (src/kept/board.ts). */
export const pinsMax = 12;

/** The whole question as an address: `/funnels?step=signup&step=purchase&range=90d`. Reports that differ in their days are two pins. */
export function pinKey(report: KeptReport): string {
  const {page, search} = addressOf(report, homeZone());
  return page + search;
}

/** The pins with one moved to the place of another. `key`: that of the one. */
export function moved<Pin extends KeptReport>(pins: readonly Pin[], key: string, to: number): readonly Pin[] {
  const isMoved = (pin: Pin): boolean => pinKey(pin) === key;
  const others = pins.filter((one) => !isMoved(one));
  return [...others.slice(0, to), ...pins.filter(isMoved), ...others.slice(to)];
}
