// Freshness of a report, read from the headers of its answer (docs/api/reports/README.md, Freshness).

export interface Freshness {
  /** The answer has every event that was acknowledged before. Epoch ms. */
  readonly asOfMs: number;
  readonly nextByMs: number;
  /** Position in the log of each partition: `0:1.17,1:1.20`. */
  readonly position: string;
}

/** Undefined for an answer that is no report. */
export function freshnessOf(headers: Headers | undefined): Freshness | undefined {
  const asOf = headers?.get('Report-As-Of');
  if (headers === undefined || asOf === null || asOf === undefined) return undefined;
  return {
    asOfMs: Date.parse(asOf),
    nextByMs: Date.parse(headers.get('Report-Next-By') ?? asOf),
    position: headers.get('Report-Log-Position') ?? '',
  };
}

/** The oldest freshness, which holds for all answers together. */
export function oldest(all: readonly (Freshness | undefined)[]): Freshness | undefined {
  return all
    .filter((one) => one !== undefined)
    .reduce<Freshness | undefined>(
      (least, one) => (least === undefined || one.asOfMs < least.asOfMs ? one : least),
      undefined,
    );
}

/** Whether a position has a later snapshot of some partition; a position without partitions is the oldest. */
export function isNewer(position: string, than: string): boolean {
  const places = new Map(than.split(',').map((one) => placeIn(one)));
  return position.split(',').some((one) => {
    const [partition, sequence] = placeIn(one);
    return partition !== '' && sequence > (places.get(partition) ?? -1);
  });
}

/** `0:1.17`: the partition, and its generation and sequence as one number. */
function placeIn(text: string): [partition: string, sequence: number] {
  const [partition, generation, sequence] = text.split(/[:.]/);
  return [partition!, Number(generation) * 2 ** 40 + Number(sequence)];
}

/** Index of the first bucket that is not over; undefined when all of them are. */
export function openFrom(data: readonly {readonly date: string}[], headers: Headers | undefined): number | undefined {
  const from = headers?.get('Report-Incomplete-From');
  if (from === null || from === undefined) return undefined;
  const at = data.findIndex(({date}) => date === from);
  return at < 0 ? undefined : at;
}
