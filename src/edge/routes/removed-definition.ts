// The removal of a definition: a webhook, an alert, a saved funnel, or something that people keep on the dashboard.
import type {Definition} from '../../effects/definition.js';
import type {DefinitionChange} from '../audit.js';
import {type Failure, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {authorOf} from './author.js';
import {storedChange} from './stored-change.js';

interface Removal {
  /** Line of the audit trail. */
  readonly what: DefinitionChange;
  /** Refusal of an id that no such definition has. */
  readonly unknown: Failure;
  readonly outcomeUnknown: Failure;
}

/** Removes the definition with this id. @throws RequestFailure: `unknown`, and (503) as `storedChange` */
export async function removeDefinition(
  front: Front,
  exchange: Exchange,
  definitions: {remove(id: string): Promise<Definition | undefined>},
  id: string,
  {what, unknown, outcomeUnknown}: Removal,
): Promise<void> {
  const author = authorOf(front, exchange);
  const removed = await storedChange(front, outcomeUnknown, () => definitions.remove(id));
  if (removed === undefined) throw new RequestFailure(unknown);
  front.audit.defined(what, author, id);
}
