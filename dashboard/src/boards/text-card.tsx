// A text on a board: plain, with its line breaks.
import type {ComponentChildren} from 'preact';
import type {TextTile} from '../service/board-tiles';

export function TextCard({
  tile: {name, text},
  tools,
}: {
  readonly tile: TextTile;
  readonly tools: (title: string) => ComponentChildren;
}) {
  const title = name ?? 'Text';
  return (
    <section class="card text-card" aria-label={title}>
      <header>
        {name !== undefined && <h2>{name}</h2>}
        <div class="tools">{tools(title)}</div>
      </header>
      <div class="body">
        <p>{text}</p>
      </div>
    </section>
  );
}
