// Sends an event from a page as any client of the API does: with a write key, without the session.
import {serviceAddress} from '../address/base';
import {type Answer, ask, taken} from './client';

export async function sendEvent(key: string, event: object): Promise<Answer<unknown>> {
  const response = await ask(
    '',
    {
      method: 'POST',
      credentials: 'omit',
      headers: {Authorization: `Bearer ${key}`, 'Content-Type': 'application/json'},
      body: JSON.stringify(event),
    },
    `${serviceAddress}/v1/events`,
  );
  return response instanceof Response ? taken(response) : response;
}
