// Parts without the fast paths of reports: for the bench `twins`.

import {PartsCache} from '../../src/parts/parts-cache.js';

/** Waits for cached parts, too. */
export class AwaitedParts extends PartsCache {
  override heldView(): undefined {}
}
