// Paths of the app's pages below `/dashboard`: the edge answers each with the page, and every other one with 404.
export const pagePaths = [
  '',
  '/',
  '/sign-in',
  '/trends',
  '/funnels',
  '/retention',
  '/lifecycle',
  '/paths',
  '/active',
  '/people',
  '/events',
  '/first-event',
  '/live',
  '/benchmarks',
  '/settings/keys',
  '/settings/access',
] as const;
