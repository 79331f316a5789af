// Shares of the report thread's memory.

/** Share for parts and values derived from them; the rest is for answers (engine.ts) and lists of durations. */
const partsShare = 54 / 64;
/** Share for parts that a start reads ahead; the rest is for values that reports derive from them. */
const readAheadShare = 3 / 4;

/** `cacheBytesMax`: bound of everything that reports cache. */
export const partsBytesOf = (cacheBytesMax: number): number => Math.floor(cacheBytesMax * partsShare);

export const readAheadBytesOf = (partsBytes: number): number => Math.floor(partsBytes * readAheadShare);
