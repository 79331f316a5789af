// Every page that the side lists: where it is, who may see it, and what loads it.

import type {FunctionComponent} from 'preact';
import {lazy} from 'preact-iso';
import type {IconName} from '../../icons';
import type {Role} from '../service/session';

export interface Place {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  readonly section: 'Product' | 'Operations' | 'Settings';
  readonly role: Role;
  readonly Page: FunctionComponent;
}

export const places: readonly Place[] = [
  {
    path: '/live',
    name: 'Live load',
    icon: 'server',
    section: 'Operations',
    role: 'reader',
    Page: lazy(() => import('../pages/live/live').then(({Live}) => Live)),
  },
  {
    path: '/settings/keys',
    name: 'API keys',
    icon: 'key',
    section: 'Settings',
    role: 'admin',
    Page: lazy(() => import('../pages/keys/keys').then(({Keys}) => Keys)),
  },
  {
    path: '/settings/access',
    name: 'Access',
    icon: 'shield',
    section: 'Settings',
    role: 'admin',
    Page: lazy(() => import('../pages/access/access').then(({Access}) => Access)),
  },
];

/** Where somebody is led who asks for the dashboard itself. */
export const firstPath = '/settings/keys';
