// Whose export a file looks like, by its first line: an import in the wrong form would refuse every line, or misread them all.

import {jsonOrUndefined} from '../../json.js';
import {ArraySplitter} from './array-splitter.js';
import {splitterOf} from './lines.js';
import {SourceFault} from './source-fault.js';
import {type VendorName, vendorFormats, vendorOf} from './vendor-formats.js';

/** @throws SourceFault when the first line of `head` is of another form than `from`. */
export function assertForm(head: Buffer, from: VendorName | undefined, fileName: string): void {
  const looksLike = vendorOf(firstValue(head));
  if (looksLike === undefined || looksLike === from) return;
  if (looksLike === 'ga4') throw new SourceFault(`${fileName} looks like Google Analytics 4, which is not imported.`);
  const {title} = vendorFormats[looksLike];
  throw new SourceFault(
    from === undefined
      ? `${fileName} looks like ${title}: add --from ${looksLike}.`
      : `${fileName} looks like ${title}, not ${vendorFormats[from].title}: say --from ${looksLike}.`,
  );
}

/** The first line that is not blank, or element of a list, parsed; undefined: it is no JSON, or does not end within the head. */
function firstValue(head: Buffer): unknown {
  const splitter = splitterOf(head);
  const lines = splitter.take(head);
  const rest = splitter instanceof ArraySplitter ? [] : splitter.end();
  const first = [...lines, ...rest].find(({bytes}) => bytes === null || bytes.some((byte) => byte > 0x20));
  return jsonOrUndefined(first?.bytes?.toString('utf8') ?? '');
}
