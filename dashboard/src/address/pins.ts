// A pin of a board: a report as the address of its page, without what the board decides for all of them, and without what its tile
// does not show.
import {type Form, type QuestionOf, readAddress, writeAddress} from './codec.js';

const ofBoard: readonly string[] = ['range', 'zone', 'every', 'weeks', 'compare'];
/** How the page shows its table of cohorts, and counts days of activity. */
const ofPage: readonly string[] = ['show', 'often'];

/** `/funnels?step=signup&step=purchase`. `form` of the page. */
export function pinOf(page: string, form: Form, search: string): string {
  const left = [...ofBoard, ...ofPage];
  const pinned = Object.fromEntries(Object.entries(form).filter(([name]) => !left.includes(name)));
  return page + writeAddress(pinned, readAddress(pinned, search).question as QuestionOf<Form>);
}
