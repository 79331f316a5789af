// Chosen texts, each in a button that removes it.
import {Icon} from '../shell/icon';
import './condition-list.css';

const nameOf = (text: string): string => (text === '' ? '(empty)' : text);

export function Chips({
  texts,
  what,
  of,
  onChange,
}: {
  readonly texts: readonly string[];
  /** What a text is: `name`. */
  readonly what: string;
  /** Goes on after the text, for screen readers: `of event 2`. */
  readonly of: string;
  readonly onChange: (texts: readonly string[]) => void;
}) {
  return (
    <ul class="chips">
      {texts.map((text) => (
        <li key={text}>
          <button
            type="button"
            title={`Remove the ${what}`}
            aria-label={`Remove ${nameOf(text)} ${of}`}
            onClick={() => onChange(texts.filter((one) => one !== text))}
          >
            {nameOf(text)}
            <Icon name="Close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
