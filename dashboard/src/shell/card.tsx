import type {ComponentChildren} from 'preact';

export function Card({
  title,
  note,
  sum,
  tools,
  span,
  children,
}: {
  readonly title: string;
  readonly note?: ComponentChildren;
  /** The one figure of the card, in its head. */
  readonly sum?: ComponentChildren;
  readonly tools?: ComponentChildren;
  /** Width in columns; the grid has twelve. */
  readonly span: 3 | 4 | 5 | 6 | 7 | 8 | 12;
  readonly children: ComponentChildren;
}) {
  return (
    <section class={`card span-${span}`} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {note !== undefined && <span class="note">{note}</span>}
        {sum !== undefined && <span class="sum">{sum}</span>}
        {tools !== undefined && <div class="tools">{tools}</div>}
      </header>
      <div class="body">{children}</div>
    </section>
  );
}
