// Goes below a snippet whose address a person must put in.
import {apiAddress, isApiKnown} from '../service/api-address';

export function ApiAddressNote() {
  if (isApiKnown.value) return null;
  return (
    <p class="help" role="note">
      The dashboard is on a port of its own here, and is not told where clients reach the API: put that address in for{' '}
      {apiAddress.value}.
    </p>
  );
}
