/** Names that mean that somebody is new. */
const beginnings = /(sign.?(ed)?.?up|regist(er|ration)|account.?created|joined|onboard|install)/i;

/** `names` with the most frequent one first. */
export const suggestedOf = (names: readonly string[]): string | undefined =>
  names.find((name) => beginnings.test(name)) ?? names[0];
