// A table that scrolls sideways where it has no room. A keyboard scrolls it, so it takes the focus and has a name.
import type {ComponentChildren} from 'preact';

export function TableFrame({
  label,
  look = '',
  children,
}: {
  readonly label: string;
  /** More classes. */
  readonly look?: string;
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class={`table-frame ${look}`} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
