// HTML from templates. Every text is escaped; only markup is inserted as it is.

export class Markup {
  constructor(readonly text: string) {}
}

export type Content = string | number | Markup | undefined | readonly Content[];

export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return new Markup(parts.map((part, i) => part + (i < contents.length ? textOf(contents[i]) : '')).join(''));
}

function textOf(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Markup) return content.text;
  if (typeof content === 'string' || typeof content === 'number') return escaped(String(content));
  return content.map(textOf).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);

/** Code spans of a sentence. */
export function prose(text: string): Markup {
  const pieces = text.split('`');
  return html`${pieces.map((piece, i) => (i % 2 === 1 ? html`<code>${piece}</code>` : piece))}`;
}

/** Paragraphs and lists with code spans: as much of CommonMark as the description uses. */
export function paragraphs(text: string): Markup {
  const blocks = text.trim().split('\n\n');
  return html`${blocks.map((block) =>
    block.startsWith('- ')
      ? html`<ul>${block.split('\n').map((line) => html`<li>${prose(line.slice(2))}</li>`)}</ul>`
      : html`<p>${prose(block)}</p>`,
  )}`;
}
