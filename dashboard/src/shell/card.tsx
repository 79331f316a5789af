import type {ComponentChildren} from 'preact';

export function Card({
  title,
  note,
  address,
  sum,
  tools,
  span,
  children,
}: {
  readonly title: string;
  readonly note?: ComponentChildren;
  /** Where the title leads: the report of the card on its own page. */
  readonly address?: string | undefined;
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
        <h2>{address === undefined ? title : <a href={address}>{title}</a>}</h2>
        {note !== undefined && <span class="note">{note}</span>}
        {sum !== undefined && <span class="sum">{sum}</span>}
        {tools !== undefined && <div class="tools">{tools}</div>}
      </header>
      <div class="body">{children}</div>
    </section>
  );
}
