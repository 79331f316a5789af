// How often callers may fail to sign in.
//   SL1. Only failures are charged: a few a minute for each address, and some more for all addresses together.
//   SL2. An offer of 128 bits or more is judged first, and a right one passes whatever others did: no guess finds such a secret, so
//        its owner is never kept out. A wrong one is charged to its address alone.
//   SL3. Guesses could find a shorter ADMIN_TOKEN: a short offer is not judged while its address, or all short offers together,
//        failed too often. Its owner then takes a one-time link, which SL2 admits.
import {AddressLimits} from '../admission/address-limits.js';
import type {Failure} from '../failure.js';
import {RateLimit} from '../http/rate-limit.js';

const limitName = 'sign-ins';
const ofAddress = new RateLimit(limitName, 5, 60);
const ofAll = new RateLimit(limitName, 60, 60);
/** 22 characters of base64url have room for 128 bits. */
const strongCharactersMin = 22;

export class SignInLimits {
  private readonly ofAddresses = new AddressLimits<typeof limitName>();
  private readonly usageOfAll = ofAll.unused();

  /**
   * Judges an offer within the limits.
   * @returns who signs in, or why nobody does. `judge` resolves to a Failure for a wrong offer.
   */
  async judge(
    offer: string,
    address: string,
    nowMs: number,
    judge: () => Promise<string | Failure>,
  ): Promise<string | Failure> {
    if (offer.length >= strongCharactersMin) {
      const judged = await judge();
      if (typeof judged === 'string') return judged; // SL2
      const charged = this.ofAddresses.admit(ofAddress, '', address, nowMs);
      return typeof charged === 'function' ? judged : slowedDown(charged);
    }
    const chargeAddress = this.ofAddresses.admit(ofAddress, '', address, nowMs);
    if (typeof chargeAddress !== 'function') return slowedDown(chargeAddress); // SL3
    const refusal = ofAll.admit(this.usageOfAll, nowMs);
    if (refusal !== undefined) {
      chargeAddress(-1); // The offer was not judged: it is no failure of its address.
      return slowedDown(refusal);
    }
    const judged = await judge();
    if (typeof judged === 'string') {
      chargeAddress(-1); // SL1
      ofAll.charge(this.usageOfAll, -1);
    }
    return judged;
  }
}

const slowedDown = (refusal: Failure): Failure => ({
  ...refusal,
  message: 'too many failures to sign in: wait for Retry-After',
});
