// One request before it is encoded.

export interface HostileRequest {
  method: string;
  /** latin1: one character a byte. */
  path: string;
  /** Without the question mark; empty: no query. */
  query: string;
  headers: (readonly [name: string, value: string])[];
  body: Buffer | undefined;
  /** The client leaves after this share of the bytes. */
  leavesAfter: number | undefined;
  /** Applied to the bytes of the head, last of all; how a server reads the result is undefined. */
  mangleHead: ((head: Buffer) => Buffer) | undefined;
  /** Names of its mutations, for a report. */
  readonly marks: string[];
}

/** Adds a Content-Length to a body whose end no header tells. */
export function bytesOf(request: HostileRequest): Buffer {
  const target = request.query === '' ? request.path : `${request.path}?${request.query}`;
  const lines = [
    `${request.method} ${target} HTTP/1.1`,
    ...request.headers.map(([name, value]) => `${name}: ${value}`),
  ];
  const {body} = request;
  if (body !== undefined && !isFramed(request)) lines.push(`Content-Length: ${body.length}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  const mangled = request.mangleHead === undefined ? head : request.mangleHead(head);
  return body === undefined ? mangled : Buffer.concat([mangled, body]);
}

const isFramed = ({headers}: HostileRequest): boolean =>
  headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));

/** Whether a strict reader of HTTP knows where the request ends: then it must be answered. */
export const isWellFramed = (request: HostileRequest): boolean =>
  request.mangleHead === undefined && request.leavesAfter === undefined && !isFramed(request);

export const setHeader = (request: HostileRequest, name: string, value: string): void => {
  request.headers = [...request.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase()), [name, value]];
};
