// Why a script of the pages did not load.
import {pageAddress} from '../address/base';
import {ask} from './client';

export type NotLoaded =
  /** No answer came. */
  | 'unreachable'
  /** The service has other scripts since: those of this page are gone. */
  | 'newer_version'
  /** The service has the script, and the browser does not take it. */
  | 'not_loaded';

/** Asks for the page itself: it names the script that it begins with by its content. */
export async function whyNotLoaded(): Promise<NotLoaded> {
  const page = await ask('', {}, pageAddress('/'));
  if (!(page instanceof Response) || !page.ok) return 'unreachable';
  const own = document.querySelector('script')!.src.split('/').at(-1)!;
  return (await page.text()).includes(own) ? 'not_loaded' : 'newer_version';
}
