// Endpoints of the dashboard, each with the role that it needs.
import type {BodyEndpoint, Handle, ReadEndpoint} from '../route.js';
import {adminBodyBytesMax} from '../routes/limits.js';
import type {NeededRole} from './door.js';

const access = 'dashboard';

export const reading = (role: NeededRole, handle: Handle): ReadEndpoint => ({access, role, handle});

export const writing = (
  role: NeededRole,
  takeBody: BodyEndpoint['takeBody'],
  bodyBytesMax = adminBodyBytesMax,
): BodyEndpoint => ({access, role, takeBody, bodyBytesMax});
