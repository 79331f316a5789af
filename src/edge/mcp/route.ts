// POST /mcp (docs/assistants.md). The library and the tools are loaded with the first request.
import {z} from 'zod';
import {RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {noParameters, readQuery} from '../query/query.js';
import {readObject} from '../routes/json-fields.js';

/** As the description shows it; the library reads it. */
export const assistantMessage = z.object({jsonrpc: z.literal('2.0'), method: z.string()});

export const messageBytesMax = 256 * 1_024;

/** A page could ask with a key that its visitor pasted: only pages of origins that the key lists may. */
function refuseUnlisted({origin, caller}: Exchange): void {
  if (origin === undefined || caller.key?.options?.origins?.includes(origin)) return;
  throw new RequestFailure({code: 'origin_not_allowed', message: 'pages of this origin may not ask here'});
}

export async function answerMcp(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  refuseUnlisted(exchange);
  readQuery(exchange.query, noParameters);
  const message = readObject(bytes);
  const {answerMessage} = await import('./server.js');
  await answerMessage(front, exchange, message);
}
