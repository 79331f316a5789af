// Paths of routes with a name where they vary: in metrics and descriptions.

/** A path of `bySegment` (route.ts) with a name in place of the segment. */
export const templateOf = (path: string, name: string): string =>
  path.endsWith('/') ? path + name : path.replace('*', name);
