// Refusals of writes as they happen, for streams that show them: code, route and field, never a value that a client sent.
//   RT1. Without such a stream nothing is stored.
//   RT2. Equal refusals of a second are one with a count; above `kindsMax` different ones the others are only counted.

import {ownFieldName} from '../admission/rejected-events.js';
import type {SeenRefusal, SeenRefusals} from '../dashboard/answers/stream.js';
import type {ErrorCode} from '../failure.js';

const kindsMax = 20;

type CountedRefusal = Omit<SeenRefusal, 'count'> & {count: number};

export class RefusalTap {
  /** Live sets it while a stream shows refusals. RT1 */
  isOpen = false;
  private seen = new Map<string, CountedRefusal>();
  private more = 0;

  /** `route`: a path of the service. */
  note(
    code: ErrorCode,
    route: string | undefined,
    {field, keyId}: {readonly field?: string | undefined; readonly keyId?: string | undefined},
  ): void {
    if (!this.isOpen) return;
    const named = ownFieldName(field);
    const kind = `${code} ${route} ${named} ${keyId}`;
    const known = this.seen.get(kind);
    if (known !== undefined) known.count += 1;
    else if (this.seen.size < kindsMax)
      this.seen.set(kind, {code, route, field: named, key_id: keyId ?? null, count: 1});
    else this.more += 1;
  }

  /** Refusals since the last call. */
  take(): Omit<SeenRefusals, 'at'> {
    const taken = {refusals: [...this.seen.values()], more: this.more};
    this.seen = new Map();
    this.more = 0;
    return taken;
  }
}
