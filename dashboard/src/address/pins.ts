// A pin of Overview: a funnel or a trend as the address of its page, without what Overview decides for all of them.
import {type Form, type QuestionOf, readAddress, writeAddress} from './codec.js';
import type {PinnedPage} from './pin-list.js';

const ofOverview: readonly string[] = ['range', 'zone', 'every', 'weeks', 'compare'];

/** `/funnels?step=signup&step=purchase`. `form` of the page. */
export function pinOf(page: PinnedPage, form: Form, search: string): string {
  const pinned = Object.fromEntries(Object.entries(form).filter(([name]) => !ofOverview.includes(name)));
  return page + writeAddress(pinned, readAddress(pinned, search).question as QuestionOf<Form>);
}
