// The removal of a definition: a webhook, an alert, a saved funnel, or something that people keep on the dashboard.
import type {Definition} from '../../kept/definition.js';
import type {Definitions} from '../../kept/kept-store.js';
import type {DefinitionChange} from '../audit.js';
import {type Failure, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {authorOf} from './author.js';
import {type Meant, removeMeant} from './if-match.js';
import {storedChange} from './stored-change.js';

interface Removal {
  /** Line of the audit trail. */
  readonly what: DefinitionChange;
  /** Refusal of an id that no such definition has. */
  readonly unknown: Failure;
  readonly outcomeUnknown: Failure;
}

/** Whether the client means this version of the definition. Absent: any (if-match.ts IM2). */
interface Meaning<Held> {
  readonly isMeant?: ((definition: Held) => boolean) | undefined;
}

/** Removes the definition with this id, if it is meant. @throws RequestFailure: `unknown`, and (503) as `storedChange` */
export async function removeDefinition<Held extends Definition>(
  front: Front,
  exchange: Exchange,
  definitions: Definitions<Held>,
  id: string,
  {what, unknown, outcomeUnknown, isMeant}: Removal & Meaning<Held>,
): Promise<Meant<Held>> {
  const author = authorOf(front, exchange);
  const removed = await storedChange(front, outcomeUnknown, () => removeMeant(definitions, id, isMeant));
  if (removed === undefined) throw new RequestFailure(unknown);
  if (!removed.isOutdated) front.kept.audit.defined(what, author, id);
  return removed;
}
