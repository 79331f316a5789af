// The pins of a board: addresses of reports without a range. The board's page has the range.

/** Number of pins that the service stores at most (src/kept/board.ts). */
export const pinsMax = 12;

/** The page and the query of a pin. */
export function partsOfPin(pin: string): {readonly page: string; readonly search: string} {
  const [page = '', search = ''] = pin.split(/(?=\?)/);
  return {page, search};
}

/** The pins with one moved to the place of another. */
export function moved(pins: readonly string[], pin: string, to: number): readonly string[] {
  const others = pins.filter((one) => one !== pin);
  return [...others.slice(0, to), pin, ...others.slice(to)];
}
