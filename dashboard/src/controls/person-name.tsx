// A person in a list: what they are called, with their id faint beside it; the id alone if they are called nothing.
import type {ComponentChildren} from 'preact';
import type {PersonId} from '../address/report-address';
import './person-name.css';

export function PersonName({
  person: {kind, id},
  title,
  children,
}: {
  readonly person: PersonId;
  readonly title: string | undefined;
  /** The link or the button that has this text. */
  readonly children: (text: string) => ComponentChildren;
}) {
  return (
    <span class="person-name" title={id}>
      {children(title ?? id)}
      {title !== undefined && title !== id && <span class="faint">{id}</span>}
      {kind === 'anonymous' && <span class="faint whole">anonymous</span>}
    </span>
  );
}
