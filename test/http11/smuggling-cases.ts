// Bytes in which one reader sees one request and another reader two: the second one is never executed.
import {broken, type Case, cut, refused, shown, waits} from './case.js';
import {chunk, chunked, get, lastChunk, lengthOf, message, post, smuggled} from './wire.js';

// Where the parser skips a line end without looking, what is skipped must not be the smuggled request's own.
const skipped = 'xx';

export const smugglingCases: readonly Case[] = [
  cut('CL.CL: behind the shorter of two lengths', () => post([`Content-Length: 0`, lengthOf(smuggled)], smuggled)),
  cut('CL.CL: behind the first of a list of lengths', () => post([`Content-Length: 0, ${smuggled.length}`], smuggled)),
  broken('CL.TE: behind the last chunk', 400, () =>
    post([lengthOf(lastChunk + smuggled), chunked], lastChunk + smuggled),
  ),
  broken('TE.CL: behind the length', 400, () => post([chunked, 'Content-Length: 4'], chunk(smuggled) + lastChunk)),
  ...['xchunked', 'chunked, identity', ' \tchunked, ,', 'x', 'chunked;'].map((encoding) =>
    cut(`TE.TE: ${encoding.trim()}`, () =>
      post([`Transfer-Encoding: ${encoding}`], chunk('{}') + lastChunk + smuggled),
    ),
  ),
  cut('TE.TE: on two lines', () => post([chunked, 'Transfer-Encoding: cow'], chunk('{}') + lastChunk + smuggled)),
  broken('TE.0: the encoding behind a space', 400, () =>
    post(['Transfer-Encoding : chunked', lengthOf(smuggled)], smuggled),
  ),
  refused('CL.0: a body that is a request', 400, () => post([lengthOf(smuggled)], smuggled)),
  refused('CL.0: a body that is a request, on a path that is not there', 404, () =>
    message(['POST /nothing HTTP/1.1', 'Host: x', lengthOf(smuggled)], smuggled),
  ),
  refused('CL.0: a body that is a request, without a key', 401, () =>
    message(['POST /v1/events HTTP/1.1', 'Host: x', lengthOf(smuggled)], smuggled),
  ),
  shown('CL.0: the body of a GET is a request', () => get('/healthz', [lengthOf(smuggled)]) + smuggled),
  refused('CL.0: the body of a TRACE is a request', 405, () =>
    message(['TRACE /healthz HTTP/1.1', 'Host: x', lengthOf(smuggled)], smuggled),
  ),
  {
    ...shown('the chunk of a GET is a request', () => get('/healthz', [chunked]) + chunk(smuggled) + lastChunk),
    ending: 'closed',
  },
  cut('behind an empty chunk size', () => post([chunked], `\r\n${skipped}${smuggled}`)),
  cut('behind a chunk size after a space', () =>
    post([chunked], ` ${smuggled.length.toString(16)}\r\n${skipped}${smuggled}`),
  ),
  cut('behind a last chunk that is an extension', () => post([chunked], `0 ;a=b\r\n${skipped}${smuggled}`)),
  cut('behind a last chunk with a bare line feed', () => post([chunked], `0\n${skipped}${smuggled}`)),
  cut('behind a field without a name', () => post([': x', lengthOf(smuggled)], smuggled)),
  cut('behind a GET with a field without a name', () => get('/healthz', [': x', lengthOf(smuggled)]) + smuggled),
  cut('behind a request that ends its connection', () => get('/healthz', ['Connection: close']) + smuggled),
  broken('in a header field, behind bare line feeds', 400, () => get('/healthz', [`X: \n\n${smuggled}`])),
  waits('in the path, behind a carriage return', () => get(`/healthz\r\r${smuggled}`)),
  broken('behind HTTP/1.0 chunks', 505, () => post([chunked], lastChunk + smuggled, 'POST /v1/events HTTP/1.0')),
];
