// The floor under every ingestion figure: the same HTTP server taking the same bytes and throwing them away.
//   F1 `discard`: reads the body and answers. F2 `parse`: also runs JSON.parse over it, which every service must.
// No check, no key, no log: what is above these figures is what the service's promises cost.

import uws, {type HttpResponse} from 'uWebSockets.js';

export type FloorKind = 'discard' | 'parse';

const kind = process.argv[2] as FloorKind;
// As long as the service's own answers.
const answer = '{"status":"ok","received":1}';
const app = uws.App();

app.post('/*', (response) => {
  response.onAborted(() => {});
  if (kind === 'discard') discard(response);
  else parse(response);
});
app.listen('127.0.0.1', 0, (socket) => {
  if (socket === false) throw new Error('no port to listen on');
  process.send!({port: uws.us_socket_local_port(socket)});
});
process.on('disconnect', () => process.exit(0));

function discard(response: HttpResponse): void {
  response.onData((_, isLast) => {
    if (isLast) end(response);
  });
}

function parse(response: HttpResponse): void {
  let pieces: Buffer[] = [];
  response.onData((chunk, isLast) => {
    // A chunk is only valid inside this call; one that is the whole body needs no copy.
    if (isLast && pieces.length === 0) JSON.parse(Buffer.from(chunk).toString('utf8'));
    else pieces.push(Buffer.from(chunk.slice(0)));
    if (!isLast) return;
    if (pieces.length > 0) JSON.parse(Buffer.concat(pieces).toString('utf8'));
    pieces = [];
    end(response);
  });
}

function end(response: HttpResponse): void {
  response.cork(() => {
    response.writeHeader('Content-Type', 'application/json; charset=utf-8').end(answer);
  });
}
