// A part as text, every gzip member in it inflated: what a disk search would find.
import {gunzipSync} from 'node:zlib';
import {bodiesLayout} from '../../actors/bodies.js';

export function inflate(part: Uint8Array): string {
  const plain = Buffer.from(part).toString('latin1');
  try {
    const {starts, ends} = bodiesLayout(part);
    return plain + [...starts].map((start, i) => gunzipSync(part.subarray(start, ends[i])).toString('latin1')).join('');
  } catch {
    return plain; // No bodies part.
  }
}
