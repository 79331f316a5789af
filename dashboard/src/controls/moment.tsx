// A moment as its age, with the exact time on hover. The age follows the page's clock.
import {agoText, momentText} from '../charts/format';
import {now} from '../service/now';

/** `iso` null: it never was. */
export function Moment({iso, never = 'never'}: {readonly iso: string | null; readonly never?: string}) {
  if (iso === null) return <span class="faint">{never}</span>;
  const ms = Date.parse(iso);
  return (
    <time dateTime={iso} title={`${momentText(ms)} UTC`}>
      {agoText(ms, now.value)}
    </time>
  );
}
