// The pins of a board: addresses of reports without a range. The board's page has the range.

/** Number of pins that the service stores at most (src/kept/board.ts). */
export const pinsMax = 12;

export const pinnedPages = ['/trends', '/funnels', '/retention', '/lifecycle', '/paths', '/active'] as const;
export type PinnedPage = (typeof pinnedPages)[number];

/** The page and the query of a pin; undefined for a page that these pages do not know. */
export function partsOfPin(pin: string): {readonly page: PinnedPage; readonly search: string} | undefined {
  const [path, search] = pin.split(/(?=\?)/) as [string, string?];
  const page = pinnedPages.find((one) => one === path);
  return page && {page, search: search ?? ''};
}

/** The pins with one moved to the place of another. */
export function moved(pins: readonly string[], pin: string, to: number): readonly string[] {
  const others = pins.filter((one) => one !== pin);
  return [...others.slice(0, to), pin, ...others.slice(to)];
}
