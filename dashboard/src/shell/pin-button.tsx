// Puts a report on Overview, or takes it off.
import {type PinnedPage, pinsMax} from '../address/pin-list';
import {pinOf} from '../address/pins';
import {hasRoom, isPinned, togglePin} from '../service/pins';
import {Icon} from './icon';

export function PinButton({page, search}: {readonly page: PinnedPage; readonly search: string}) {
  const pin = pinOf(page, search);
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
