import type {Ownership} from '../../src/partition/snapshot/ownership.js';

/** An owner of a partition that nobody replaces. */
export const partOwner = (epoch = 1): Pick<Ownership, 'confirm' | 'epoch'> => ({epoch, confirm: () => undefined});
