// Stickiness: users of a day as a share of those of the 30 days that end with it.

/** Null for a month without users, and where either number is not known. */
export const stickinessOf = (
  daily: readonly (number | null)[],
  monthly: readonly (number | null)[],
): (number | null)[] =>
  daily.map((users, at) => {
    const month = monthly[at] ?? null;
    return users === null || month === null || month === 0 ? null : users / month;
  });
