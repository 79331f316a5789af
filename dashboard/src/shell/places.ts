// The pages in the order of the side: path, role, and what loads each.

import type {FunctionComponent} from 'preact';
import type {IconName} from '../../icons';
import {type ReportEntry, reports} from '../reports/all';
import {hasEvents} from '../service/any-events';
import {may, type Role} from '../service/session';

export interface Place {
  readonly path: string;
  /** Goes there after `g`. */
  readonly letter?: string;
  readonly name: string;
  readonly icon: IconName;
  readonly section: 'Product' | 'Operations' | 'Settings';
  readonly role: Role;
  /** Loads it; absent for the one that the first view has: Overview. */
  readonly script?: () => Promise<FunctionComponent>;
  /** Tells whether the side lists the page now; absent: always. */
  readonly isListed?: () => boolean;
}

export const places: readonly Place[] = [
  {
    path: '/',
    letter: 'o',
    name: 'Overview',
    icon: 'home',
    section: 'Product',
    role: 'reader',
  },
  {
    path: '/web',
    letter: 'v',
    name: 'Web',
    icon: 'window',
    section: 'Product',
    role: 'reader',
    script: () => import('../pages/web/web').then(({Web}) => Web),
  },
  {
    path: '/boards',
    letter: 'd',
    name: 'Boards',
    icon: 'table',
    section: 'Product',
    role: 'reader',
    script: () => import('../pages/boards/boards').then(({Boards}) => Boards),
  },
  ...reports.map(placeOf),
  {
    path: '/saved',
    letter: 's',
    name: 'Saved reports',
    icon: 'bookmark',
    section: 'Product',
    role: 'reader',
    script: () => import('../pages/saved/saved').then(({Saved}) => Saved),
  },
  {
    path: '/alerts',
    letter: 'n',
    name: 'Alerts',
    icon: 'bell',
    section: 'Product',
    role: 'analyst',
    script: () => import('../pages/alerts/alerts').then(({Alerts}) => Alerts),
  },
  {
    path: '/people',
    letter: 'p',
    name: 'People',
    icon: 'users',
    section: 'Product',
    role: 'analyst',
    script: () => import('../pages/people/people').then(({People}) => People),
  },
  {
    path: '/events',
    letter: 'e',
    name: 'Events',
    icon: 'bolt',
    section: 'Product',
    role: 'analyst',
    script: () => import('../pages/events/events').then(({Events}) => Events),
  },
  {
    path: '/first-event',
    name: 'First event',
    icon: 'Sparkles',
    section: 'Product',
    role: 'analyst',
    script: () => import('../pages/first-event/first-event').then(({FirstEvent}) => FirstEvent),
    isListed: () => hasEvents.value === false,
  },
  {
    path: '/live',
    letter: 'l',
    name: 'Live load',
    icon: 'server',
    section: 'Operations',
    role: 'reader',
    script: () => import('../pages/live/live').then(({Live}) => Live),
  },
  {
    path: '/benchmarks',
    letter: 'b',
    name: 'Benchmarks',
    icon: 'chartBar',
    section: 'Operations',
    role: 'reader',
    script: () => import('../pages/benchmarks/benchmarks').then(({Benchmarks}) => Benchmarks),
  },
  {
    path: '/settings/keys',
    letter: 'k',
    name: 'API keys',
    icon: 'key',
    section: 'Settings',
    role: 'admin',
    script: () => import('../pages/keys/keys').then(({Keys}) => Keys),
  },
  {
    path: '/settings/webhooks',
    letter: 'h',
    name: 'Webhooks',
    icon: 'send',
    section: 'Settings',
    role: 'admin',
    script: () => import('../pages/webhooks/webhooks').then(({Webhooks}) => Webhooks),
  },
  {
    path: '/settings/access',
    letter: 'u',
    name: 'Access',
    icon: 'shield',
    section: 'Settings',
    role: 'admin',
    script: () => import('../pages/access/access').then(({Access}) => Access),
  },
];

export function placeOf({script, ...entry}: ReportEntry): Place {
  return {
    ...entry,
    section: 'Product',
    role: 'reader',
    script: async () => {
      const [{reportPage}, {report}] = await Promise.all([import('../pages/report/report'), script()]);
      return reportPage(entry, report);
    },
  };
}

/** Whether the side lists the place for the person who is signed in. */
export const isShown = ({role, isListed}: Place): boolean => may(role) && (isListed === undefined || isListed());
