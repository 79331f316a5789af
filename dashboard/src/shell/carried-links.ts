// Links to other pages take along what the pages so far have in their addresses (address/carried.ts).
import {signal} from '@preact/signals';
import {pageAddress} from '../address/base';
import {type Carried, carriedTo} from '../address/carried';

export const carried = signal<Carried>({});

/** `own`: a query that the link has itself. */
export function linkTo(path: string, own = ''): string {
  const along = carriedTo(path, carried.value);
  return pageAddress(path) + (own && along ? own + along.replace('?', '&') : own || along);
}
