// Ways to take data out, for Ctrl-K: the tables of this page, and what other pages export.
import {may} from '../service/session';
import type {Choice} from './palette';

/** `to`: makes what leads to an address. */
export function exportsFrom(to: (address: string) => () => void): readonly Choice[] {
  const here = csvButtons().map(([label, button], at) => ({
    key: `csv-${at}`,
    name: `Export ${label} as CSV`,
    note: 'downloads it from this page',
    take: () => button.click(),
  }));
  const numbers = {
    key: 'export-numbers',
    name: 'Export numbers as CSV',
    note: 'the arrow at a card, such as on Trends',
    take: to('/trends'),
  };
  const events = {
    key: 'export-events',
    name: 'Export events',
    note: 'Events, History: download all, or follow changes',
    take: to('/events?show=history'),
  };
  const people = {
    key: 'export-people',
    name: 'Export people as CSV',
    note: 'People: download the list, or one person',
    take: to('/people'),
  };
  const ways = [...(here.length === 0 ? [numbers] : here), ...(may('analyst') ? [events, people] : [])];
  return ways.map((way) => ({...way, icon: 'Download'}));
}

/** Buttons of the cards that download their numbers, with the titles of the cards. */
const csvButtons = (): (readonly [label: string, button: HTMLButtonElement])[] =>
  [...document.querySelectorAll<HTMLElement>('main section[aria-label]')].flatMap((card) => {
    const button = card.querySelector<HTMLButtonElement>('button[aria-label="Download as CSV"]');
    return button === null ? [] : [[card.getAttribute('aria-label')!, button] as const];
  });
