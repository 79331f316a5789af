// The author of a change, as the audit trail names them.
import type {KeyAuthor} from '../../keys/store.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';

/**
 * The id of an API key or of a person's access token, `admin` for the admin token; with the client's address. Call it before the
 * change: a connection that was closed meanwhile has no address.
 */
export const authorOf = (
  {operations: {clientAddresses}}: Pick<Front, 'operations'>,
  exchange: Exchange,
): KeyAuthor => ({
  by: exchange.caller.key?.id ?? exchange.caller.session?.by ?? 'admin',
  address: clientAddresses.of(exchange),
});

/** Name of the person or of the key; `admin` for the admin token. */
export const authorNameOf = ({kept: {keys}}: Pick<Front, 'kept'>, {caller: {key, session}}: Exchange): string =>
  session?.name ?? (key && keys.ring.get(key.id)?.name) ?? 'admin';
