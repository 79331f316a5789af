// How much of a month a user comes: users of a day as a share of those of the 30 days that end with it.

/** Null where nobody was active in the month, and where one of both is not known. */
export const stickinessOf = (
  daily: readonly (number | null)[],
  monthly: readonly (number | null)[],
): (number | null)[] =>
  daily.map((users, at) => {
    const month = monthly[at] ?? null;
    return users === null || month === null || month === 0 ? null : users / month;
  });
