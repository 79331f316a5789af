// Position of an event among its user's events, as one number (user-postings.ts, UP1 to UP3).

/** Number of ranks within one millisecond. */
export const ranksPerMs = 2_048;

export const timeOfKey = (key: number): number => Math.floor(key / ranksPerMs);
