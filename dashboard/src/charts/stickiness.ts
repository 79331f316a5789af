// How much of a month a user comes: users of a day as a share of those of the 30 days that end with it.
import type {Counted} from './charted.js';

/** Null where nobody was active in the month. */
export const stickinessOf = (daily: Counted, monthly: Counted): (number | null)[] =>
  daily.data.map(({count}, at) => {
    const month = monthly.data[at]?.count ?? 0;
    return month === 0 ? null : count / month;
  });
