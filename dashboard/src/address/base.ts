// Addresses of the service, derived from the address of this script: they hold behind any prefix of a proxy.

/** Path of the dashboard, without a slash at its end: `/dashboard`, or `/analytics/dashboard` behind a prefix. */
export const dashboardPath = new URL(import.meta.env.DEV ? '/dashboard' : '..', import.meta.url).pathname.replace(
  /\/$/,
  '',
);

/** Address of the service itself, as snippets and copied commands use it. */
export const serviceAddress = location.origin + dashboardPath.slice(0, -'/dashboard'.length);

/** Links that share a report begin with it. */
export const sharePath = `${dashboardPath}/share/`;
/** Whether this page was opened by a share link: it has no session, and asks for none. */
export const isShared = location.pathname.startsWith(sharePath);

export const pageAddress = (path: string): string => (path === '/' ? dashboardPath : dashboardPath + path);
