// Pins of Overview: funnels and trends, each as the address of its page without a range. Overview has the range.
//   PI1. At most `pinsMax`, each once; a text that is no such address is dropped.
import {readAddress, writeAddress} from './codec.js';
import {funnelForm, trendsForm} from './report-address.js';

export const pinsMax = 12;

export type PinnedPage = '/funnels' | '/trends';

const {range: _, ...funnelQuestion} = funnelForm;
const {range: __, every: ___, compare: ____, ...trendQuestion} = trendsForm;
export const pinForms = {'/funnels': funnelQuestion, '/trends': trendQuestion} as const;

/** `/funnels?step=signup&step=purchase`. */
export const pinOf = <Page extends PinnedPage>(page: Page, search: string): string =>
  page + writeAddress(pinForms[page], readAddress(pinForms[page], search).question as never);

export const pageOfPin = (pin: string): PinnedPage | undefined =>
  (Object.keys(pinForms) as PinnedPage[]).find((page) => pin.startsWith(`${page}?`));

/** PI1. @returns the pins of a text that was kept. */
export function readPins(text: string | null): readonly string[] {
  const known: unknown = text === null ? [] : parsed(text);
  if (!Array.isArray(known)) return [];
  const pins = known.filter((pin): pin is string => typeof pin === 'string' && isPin(pin));
  return [...new Set(pins)].slice(0, pinsMax);
}

function isPin(text: string): boolean {
  const page = pageOfPin(text);
  return page !== undefined && pinOf(page, text.slice(page.length)) === text && text.length > page.length + 1;
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
