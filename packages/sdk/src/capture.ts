// What is captured where the application does not call: page views and clicks, each only as far as it was asked for.
import {cleanAddress} from './address.js';

/** The type that the compiler knows lacks prerendering. */
export type Page = Document & {readonly prerendering?: boolean};

/** Calls `viewed` once for each path of a page: the first, and those that scripts and the history lead to. */
export function capturePages(page: Page, viewed: () => void): void {
  let path: string | undefined;
  const moved = (): void => {
    if (location.pathname === path) return;
    path = location.pathname;
    viewed();
  };
  for (const name of ['pushState', 'replaceState'] as const) {
    const own = history[name];
    history[name] = (...state) => {
      own.apply(history, state);
      moved();
    };
  }
  addEventListener('popstate', moved);
  // The page comes back as it was left: nothing is loaded.
  addEventListener('pageshow', ({persisted}) => {
    if (persisted) viewed();
  });
  if (page.prerendering) page.addEventListener('prerenderingchange', moved);
  else moved();
}

const files = /\.(7z|apk|csv|dmg|docx?|epub|exe|gz|iso|mp[34]|msi|pdf|pptx?|rar|tgz|txt|xlsx?|zip)$/i;

/**
 * Calls `track` for a click on an element with `data-millrace="NAME"`, with its attributes `data-millrace-…` as properties; with the
 * options, for links to other hosts and to files.
 */
export function captureClicks(
  outbound: boolean | undefined,
  downloads: boolean | undefined,
  keepQuery: readonly string[],
  track: (event: string, properties: Readonly<Record<string, string | undefined>>) => void,
): void {
  const clicked = ({target, button}: MouseEvent): void => {
    if (button > 1 || !(target instanceof Element)) return;
    const named = target.closest<HTMLElement>('[data-millrace]');
    if (named) {
      const properties: Record<string, string | undefined> = {};
      for (const [name, value] of Object.entries(named.dataset)) {
        const own = /^millrace([A-Z])(.*)/.exec(name);
        if (own) properties[own[1]!.toLowerCase() + own[2]] = value;
      }
      track(named.dataset.millrace!, properties);
    }
    const link = target.closest('a');
    if (!link?.href) return;
    const url = cleanAddress(link.href, keepQuery)?.href;
    if (downloads && (link.hasAttribute('download') || files.test(link.pathname))) track('download', {url});
    else if (outbound && link.host !== location.host && /^http/.test(link.protocol)) track('outbound_link', {url});
  };
  // Before the application can stop it, and before it leads away.
  for (const name of ['click', 'auxclick'] as const) addEventListener(name, clicked, true);
}
