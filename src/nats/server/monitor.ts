// A nats-server's monitoring, asked over node:http: `fetch` would load and compile undici for it, 0.1 s of CPU in each start.

import {get as getPlain, type IncomingMessage} from 'node:http';
import {get as getSecure} from 'node:https';
import {text} from 'node:stream/consumers';

interface MonitorAnswer {
  readonly status: number;
  readonly text: string;
}

/** @throws when there is no answer within `answerMsMax`. */
export async function askMonitor(url: string, answerMsMax: number): Promise<MonitorAnswer> {
  const get = url.startsWith('https:') ? getSecure : getPlain;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, {signal: AbortSignal.timeout(answerMsMax)}, resolve).once('error', reject);
  });
  return {status: answer.statusCode!, text: await text(answer)};
}
