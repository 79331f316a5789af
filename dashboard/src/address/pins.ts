// A pin of Overview: a funnel or a trend as the address of its page, without what Overview decides for all of them.
import {readAddress, writeAddress} from './codec.js';
import {funnelForm} from './funnel-address.js';
import type {PinnedPage} from './pin-list.js';
import {trendsForm} from './trends-address.js';

const {range: _, zone: __, ...funnelQuestion} = funnelForm;
const {range: ___, every: ____, compare: _____, zone: ______, weeks: _______, ...trendQuestion} = trendsForm;
export const pinForms = {'/funnels': funnelQuestion, '/trends': trendQuestion} as const;

/** `/funnels?step=signup&step=purchase`. */
export const pinOf = <Page extends PinnedPage>(page: Page, search: string): string =>
  page + writeAddress(pinForms[page], readAddress(pinForms[page], search).question as never);
