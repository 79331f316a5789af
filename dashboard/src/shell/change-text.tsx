// A change against the time before. Green and red only where more is known to be better; else grey.
import {change} from '../charts/format';

export function ChangeText({
  now,
  before,
  isMoreBetter = false,
}: {
  readonly now: number;
  readonly before: number | undefined;
  readonly isMoreBetter?: boolean;
}) {
  if (before === undefined) return <span class="faint">–</span>;
  if (before === 0) return <span class="even">{now === 0 ? 'none, as before' : 'new'}</span>;
  const look = !isMoreBetter ? 'even' : now / before > 1.0005 ? 'up' : now / before < 0.9995 ? 'down' : 'even';
  return <span class={look}>{change(now, before)}</span>;
}
