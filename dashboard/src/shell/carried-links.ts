// Links to other pages take along what the pages so far have in their addresses (address/carried.ts).
import {signal} from '@preact/signals';
import {pageAddress} from '../address/base';
import {type Carried, carriedTo} from '../address/carried';

export const carried = signal<Carried>({});
export const linkTo = (path: string): string => pageAddress(path) + carriedTo(path, carried.value);
