// Endpoints of the dashboard, each with the role that it needs.
import type {NeededRole} from './door.js';
import type {Route} from '../route.js';
import {adminBodyBytesMax} from '../routes/limits.js';

type Reading = NonNullable<Route['GET']>;
type Writing = NonNullable<Route['POST']>;

const access = 'dashboard';

export const reading = (role: NeededRole, handle: Reading['handle']): Reading => ({access, role, handle});

export const writing = (
  role: NeededRole,
  takeBody: Writing['takeBody'],
  bodyBytesMax = adminBodyBytesMax,
): Writing => ({access, role, takeBody, bodyBytesMax});
