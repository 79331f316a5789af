// Addresses of mails. The grammar is narrower than that of RFC 5322: an address is one mailbox of one host, in ASCII.
//   MA1. No address has a character that separates headers, parameters, addresses or hosts: none can add a recipient or a header, and
//        none names a route through another server.

const localPart = /[A-Za-z0-9!#$'*+=^_`{|}~-]+(?:\.[A-Za-z0-9!#$'*+=^_`{|}~-]+)*/;
const label = /[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?/;
const address = `${localPart.source}@${label.source}(?:\\.${label.source})*`;
const wholeAddress = new RegExp(`^${address}$`);
const named = new RegExp(`^([A-Za-z0-9][A-Za-z0-9 .,&'()_-]{0,99}?) <(${address})>$`);
const [localCharsMax, charsMax] = [64, 254];
const scheme = 'mailto:';

const isAddress = (text: string): boolean =>
  text.length <= charsMax && wholeAddress.test(text) && text.indexOf('@') <= localCharsMax;

/** The address of a `mailto:` URL that has nothing else. Undefined: it is no such URL. MA1 */
export function mailAddressOf(url: string): string | undefined {
  const text = url.startsWith(scheme) ? url.slice(scheme.length) : '';
  return isAddress(text) ? text : undefined;
}

export interface Sender {
  readonly address: string;
  /** Empty: it has none. */
  readonly name: string;
}

/** Reads `stats@example.com` and `Name <stats@example.com>`. Undefined: it is neither. */
export function senderOf(text: string): Sender | undefined {
  const [, name = '', inner = text] = named.exec(text) ?? [];
  return isAddress(inner) ? {address: inner, name} : undefined;
}
