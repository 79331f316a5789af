// Whether internal and test users count on a page. While they do not, every page says so here, and one click counts them again.
//   WS1. An address may leave out another segment than that of internal users: the switch says which, and takes it off.
import {segmentName} from '../service/known-segments';
import {useKnownSegments} from '../service/segments';
import {session} from '../service/session';
import {Icon} from './icon';
import './without-switch.css';

export interface WithoutSwitchProps {
  /** Id of the segment whose users do not count; null: everybody does. */
  readonly notSegment: string | null;
  readonly onChange: (notSegment: string | null) => void;
}

export function WithoutSwitch({notSegment, onChange}: WithoutSwitchProps) {
  useKnownSegments();
  const internal = session.value?.internal ?? null;
  const segment = notSegment ?? internal;
  if (segment === null) return null;
  const whom = segment === internal ? 'internal and test users' : `users of ${segmentName(segment)}`; // WS1
  const isOn = notSegment !== null;
  return (
    <button
      type="button"
      class={isOn ? 'button without-on' : 'button'}
      title={isOn ? 'Click to count them, too' : `Click to count without ${whom}`}
      onClick={() => onChange(isOn ? null : segment)}
    >
      <Icon name="users" />
      {isOn ? `Without ${whom}` : 'All users'}
    </button>
  );
}
