// A share on an axis, with as many digits as its step needs: rounded texts would make equal steps look unequal.

/** `7.5 %`, `10 %`, with a thin space before the sign. */
export const shareText = (share: number): string => `${Number((share * 100).toPrecision(4))}\u2009%`;
