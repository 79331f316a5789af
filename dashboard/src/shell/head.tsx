// The first line of a page: its name, how fresh it is, what can be done.
import type {ComponentChildren} from 'preact';
import {useEffect, useRef} from 'preact/hooks';

export function Head({
  title,
  freshness,
  children,
}: {
  readonly title: string;
  readonly freshness?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} - Millrace`;
    // A screen reader continues from the title after a change of pages; the first page keeps the browser's own place.
    if (history.length > 1 && document.activeElement === document.body) heading.current?.focus({preventScroll: true});
  }, [title]);
  return (
    <div class="head">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {freshness}
      <div class="actions">{children}</div>
    </div>
  );
}
