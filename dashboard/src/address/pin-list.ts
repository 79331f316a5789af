// The pins of a board: addresses of reports without a range. The board's page has the range.

/** Number of pins that the service stores at most (src/effects/board.ts). */
export const pinsMax = 12;

const pinnedPages = ['/funnels', '/trends'] as const;
export type PinnedPage = (typeof pinnedPages)[number];

export const pageOfPin = (pin: string): PinnedPage | undefined =>
  pinnedPages.find((page) => pin.startsWith(`${page}?`));

/** The pins with one moved to the place of another. */
export function moved(pins: readonly string[], pin: string, to: number): readonly string[] {
  const others = pins.filter((one) => one !== pin);
  return [...others.slice(0, to), pin, ...others.slice(to)];
}
