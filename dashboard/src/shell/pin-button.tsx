// Puts a report on Overview, or takes it off.

import {isShared} from '../address/base';
import type {Form} from '../address/codec';
import {type PinnedPage, pinsMax} from '../address/pin-list';
import {pinOf} from '../address/pins';
import {hasRoom, isPinned, togglePin} from '../service/pins';
import {Icon} from './icon';

/** `search` is an address of the page, whose `form` it has. */
export function PinButton({
  page,
  form,
  search,
}: {
  readonly page: PinnedPage;
  readonly form: Form;
  readonly search: string;
}) {
  if (isShared) return null;
  const pin = pinOf(page, form, search);
  const is = isPinned(pin);
  const isFull = !is && !hasRoom();
  const words = is
    ? 'Take it off Overview'
    : isFull
      ? `Overview has ${pinsMax} pins: take one off first`
      : 'Pin to Overview';
  return (
    <button
      type="button"
      class="quiet"
      title={words}
      aria-label="Pin to Overview"
      aria-pressed={is}
      disabled={isFull}
      onClick={() => togglePin(pin)}
    >
      <Icon name="bookmark" />
    </button>
  );
}
