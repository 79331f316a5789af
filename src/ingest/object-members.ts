// Walks over the members of a JSON object in its bytes, without parsing their values.
import {jsonOrUndefined} from '../json.js';
import {JsonScanner, quote, stringEnd, token, valueEnd} from './json-scanner.js';

/** Bytes must be UTF-8. */
export class ObjectMembers extends JsonScanner {
  constructor(bytes: Buffer) {
    super();
    this.bytes = bytes;
  }

  /** Takes an object. `takeValue` takes the value of a key, or returns false. @returns false when what was read is not JSON. */
  takeAll(takeValue: (key: string) => boolean): boolean {
    if (!this.take(token.openBrace)) return false;
    if (this.take(token.closeBrace)) return true;
    do {
      const key = this.takeKey();
      if (key === undefined || !this.take(token.colon) || !takeValue(key)) return false;
    } while (this.take(token.comma));
    return this.take(token.closeBrace);
  }

  /** Takes the bytes of a value. Whether they are JSON is not checked (S1). */
  takeRaw(): Buffer {
    this.peek();
    const start = this.at;
    this.at = valueEnd(this.bytes, start);
    return this.bytes.subarray(start, this.at);
  }

  private takeKey(): string | undefined {
    if (this.peek() !== quote) return undefined;
    const start = this.at;
    const end = stringEnd(this.bytes, start);
    this.at = end + 1;
    return jsonOrUndefined(this.bytes.toString('utf8', start, end + 1)) as string | undefined;
  }
}
