// An event's place in the order of its user's events, as one number (user-postings.ts, UP1 to UP3).

/** Ranks of one millisecond. */
export const ranksPerMs = 2_048;

export const timeOfKey = (key: number): number => Math.floor(key / ranksPerMs);
