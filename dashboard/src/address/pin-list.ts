// The list of pins as this browser keeps it: addresses of reports without a range. Overview has the range.
//   PI1. At most `pinsMax`, each once; a text that leads to no page with pins is dropped.

export const pinsMax = 12;

export const pinnedPages = ['/funnels', '/trends'] as const;
export type PinnedPage = (typeof pinnedPages)[number];

export const pageOfPin = (pin: string): PinnedPage | undefined =>
  pinnedPages.find((page) => pin.startsWith(`${page}?`));

/** PI1. @returns the pins of a text that was kept. */
export function readPins(text: string | null): readonly string[] {
  const known: unknown = text === null ? [] : parsed(text);
  if (!Array.isArray(known)) return [];
  const pins = known.filter((pin): pin is string => typeof pin === 'string' && pageOfPin(pin) !== undefined);
  return [...new Set(pins)].slice(0, pinsMax);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Another program wrote it.
  }
}

/** The pins with one moved to the place of another. */
export function moved(pins: readonly string[], pin: string, to: number): readonly string[] {
  const others = pins.filter((one) => one !== pin);
  return [...others.slice(0, to), pin, ...others.slice(to)];
}
