// What is known stands while newer answers do not come: a line says so, since nobody did anything wrong.
import type {Fault} from '../service/client';
import {Icon} from './icon';

/** Of what the page asks for again by itself. */
export const NotRenewed = ({fault}: {readonly fault: Fault}) => (
  <p class="not-renewed" role="status">
    <Icon name="warning" />
    Not renewed: {fault.status === 0 ? 'the service does not answer' : fault.message}. The page asks again by itself.
  </p>
);
