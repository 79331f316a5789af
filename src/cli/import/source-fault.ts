/** A failure while reading; the message is a sentence for the operator. */
export class SourceFault extends Error {
  override name = 'SourceFault';
}
