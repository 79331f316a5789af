// Ways to take data out, for Ctrl-K: the tables of this page, and what other pages export.
import {may} from '../service/session';
import {downloadCsv} from './download';
import {csvsOfPage} from './page-tools';
import type {Choice} from './palette';

/** `to`: makes what leads to an address. */
export function exportsFrom(to: (address: string) => () => void): readonly Choice[] {
  const csvs = [...csvsOfPage].flatMap(({current}) => current ?? []);
  const here = csvs.map(({file, rows}, at) => ({
    key: `csv-${at}`,
    name: `Export ${file.replaceAll('-', ' ')} as CSV`,
    note: 'downloads it from this page',
    take: () => downloadCsv(file, rows()),
  }));
  const numbers = {
    key: 'export-numbers',
    name: 'Export numbers as CSV',
    note: 'the three dots at a card, such as on Trends',
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
