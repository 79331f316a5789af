// How the memory of the report thread is divided. What is lent of it, and what a start reads ahead, follows from that.

/** For parts and what is derived of them; the rest is for answers (engine.ts) and lists of durations. */
const partsShare = 54 / 64;
/** What a start reads ahead of parts; the rest is for what reports derive of them. */
const readAheadShare = 3 / 4;

/** `cacheBytesMax`: of all that reports keep. */
export const partsBytesOf = (cacheBytesMax: number): number => Math.floor(cacheBytesMax * partsShare);

export const readAheadBytesOf = (partsBytes: number): number => Math.floor(partsBytes * readAheadShare);
