// Paths of the app's pages below `/dashboard`: the edge answers each with the page, and every other one with 404. The path of a report
// is the name of its folder.
import {readdirSync} from 'node:fs';

const folders = readdirSync(new URL('./src/reports', import.meta.url), {withFileTypes: true});
const reports = folders.filter((one) => one.isDirectory());

export const pagePaths: readonly string[] = [
  '',
  '/',
  '/sign-in',
  '/web',
  '/boards',
  '/saved',
  '/alerts',
  '/people',
  '/events',
  '/first-event',
  '/live',
  '/benchmarks',
  '/settings/keys',
  '/settings/webhooks',
  '/settings/access',
  ...reports.map(({name}) => `/${name}`),
];
