// What is known stands while newer answers do not come: a line says so, since nobody did anything wrong.
import type {Fault} from '../service/client';
import {Icon} from './icon';

/** The line above data that is old because a newer answer failed. The page repeats the request by itself. */
export const NotRenewed = ({fault}: {readonly fault: Fault}) => (
  <p class="not-renewed" role="status">
    <Icon name="warning" />
    Not renewed: {fault.status === 0 ? 'the service does not answer' : fault.message}. The page asks again by itself.
  </p>
);
