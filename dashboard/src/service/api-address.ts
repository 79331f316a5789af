// Address at which clients reach the API, for snippets and commands that are copied. With ADMIN_PORT the pages are on the operators'
// port, which has no /v1: the address is then the other port of this host, or not known here behind a proxy.
import {computed} from '@preact/signals';
import {serviceAddress} from '../address/base';
import {session} from './session';

/** Stands for an address that these pages are not told. */
const unknownAddress = 'https://ADDRESS-OF-THE-API';

/** Whether this page can send to the API itself. */
export const isApiHere = computed(() => (session.value?.api.at ?? 'here') === 'here');
export const isApiKnown = computed(() => session.value?.api.at !== 'elsewhere');

export const apiAddress = computed(() => {
  const api = session.value?.api ?? {at: 'here'};
  if (api.at === 'here') return serviceAddress;
  return api.at === 'port' ? `http://${location.hostname}:${api.port}` : unknownAddress;
});
