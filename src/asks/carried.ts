// Text of an answer that is made as UTF-8. To a thread of the same process its bytes are handed over; NATS carries it as JSON.

/** UTF-8 bytes, or the same as a text. */
export type Carried = Uint8Array<ArrayBuffer> | string;

export const textOf = (carried: Carried): string =>
  typeof carried === 'string' ? carried : bufferOf(carried).toString();

/** The bytes: a view, not a copy. */
export const bufferOf = (carried: Carried): Buffer =>
  typeof carried === 'string'
    ? Buffer.from(carried)
    : Buffer.from(carried.buffer, carried.byteOffset, carried.byteLength);

/** JSON of an answer, whose `lines` may be bytes. */
export const jsonOf = (answer: object): string =>
  JSON.stringify('lines' in answer ? {...answer, lines: textOf(answer.lines as Carried)} : answer);

/** Buffers that an answer hands over to another thread. */
export const handedOver = (answer: object): ArrayBuffer[] =>
  'lines' in answer && typeof answer.lines !== 'string' ? [(answer.lines as Uint8Array<ArrayBuffer>).buffer] : [];
