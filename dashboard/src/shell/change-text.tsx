// A change against the time before. Green and red only where more is known to be better; else grey, with a sign.
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
  const text = change(now, before);
  const way = now / before > 1.0005 ? 'rise' : now / before < 0.9995 ? 'fall' : 'same';
  if (isMoreBetter) return <span class={{rise: 'up', fall: 'down', same: 'even'}[way]}>{text}</span>;
  return (
    <span class="plain">
      <span class={way}>
        <span class="visually-hidden">{way === 'fall' ? '−' : '+'}</span>
        {text.slice(1)}
      </span>
    </span>
  );
}
