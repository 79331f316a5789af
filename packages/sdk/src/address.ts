// Addresses of pages as they are sent: what a visitor typed or was sent stays in the browser.

/** `keepQuery`: names of the query that are kept beside those of campaigns (`utm_…`). @returns undefined: it is no address. */
export function cleanAddress(text: string, keepQuery: readonly string[]): URL | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch (_error) {
    return undefined;
  }
  url.hash = url.username = url.password = '';
  for (const name of [...url.searchParams.keys()])
    if (!name.startsWith('utm_') && !keepQuery.includes(name)) url.searchParams.delete(name);
  return url;
}

/** `source`, `medium`, `name`, `term`, `content`, as the address of the page has them. */
export function campaignOf({searchParams}: URL): Record<string, string> | undefined {
  let campaign: Record<string, string> | undefined;
  for (const [name, value] of searchParams)
    if (name.startsWith('utm_'))
      campaign = {...campaign, [name === 'utm_campaign' ? 'name' : name.slice('utm_'.length)]: value};
  return campaign;
}
